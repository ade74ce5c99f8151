package workqueue

import "time"

// hand is the hand of a clock from which a busy queue reads the time. To read the real clock twice a key costs as much
// as all the rest of Add, Get and Done, and all it is for is to tell a person how long a key has waited. So when the
// clock is read very often, the hand is moved every handPeriod by an alarm instead.
//
// It belongs to whoever holds the lock of the queue.
type hand struct {
	at int64
	// moving: the alarm moves the hand, and nobody else reads the clock.
	moving bool
	// uses counts, while the hand is still, the readings in a row that came soon after one another; while it moves, all
	// operations since it was moved last.
	uses int
}

const (
	handPeriod = 10 * time.Millisecond
	// usesToMove readings, each within handPeriod/usesToRest of the last, set the hand in motion; fewer than usesToRest
	// in a period bring it to rest.
	usesToMove = 256
	usesToRest = 256
	// usesAtFull in a period mean that the queue has nothing to do but to serve: 500,000 operations a second.
	usesAtFull = 5000
)

// read returns the time. It reports true when the alarm has to be set for handPeriod from now.
func (h *hand) read(clock *timekeeper) (now int64, start bool) {
	h.uses++
	if h.moving {
		return h.at, false
	}
	now = clock.now()
	if now-h.at > int64(handPeriod)/usesToRest {
		h.uses = 0
	}
	h.at = now
	if h.uses >= usesToMove {
		h.moving, h.uses = true, 0
	}
	return now, h.moving
}

// move sets the hand to now. It tells whether it has to be moved again, and whether the queue is working at full speed.
func (h *hand) move(now int64) (again, full bool) {
	full = h.uses >= usesAtFull
	h.moving = h.uses >= usesToRest
	h.at, h.uses = now, 0
	return h.moving, full
}

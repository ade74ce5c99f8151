package leaderelection

import (
	"sync"
	"time"
)

// clock is time as one replica sees it. It is an interface for tests alone: they stop it, suspend it, and set it wrong.
type clock interface {
	now() reading
	// after is time.After with a way to give up. The time may be longer, as timers stand still while the machine sleeps.
	after(d time.Duration) (c <-chan time.Time, stop func())
}

// reading is what the clocks of this machine show at one moment.
//
// Go's monotonic clock is never set, but on most systems it stands still while the machine is suspended: a leader that
// wakes after an hour would believe that its lease is as fresh as it was. So suspends are counted beside it. Where that is only
// a guess, two readings are compared in two ways, atLeast and atMost, and each decision takes the one that errs on its safe side.
type reading struct {
	steady time.Time // by its monotonic part
	wall   time.Time // without one; for others to read, not to reckon with
	// asleep is how long the machine was suspended until now. If it is not exact, it may be too long.
	asleep time.Duration
	exact  bool
}

// atLeast is a time that has passed since then for certain. A replica that waits for another's lease to end trusts this.
func (r reading) atLeast(since reading) time.Duration {
	if r.exact && since.exact {
		return r.atMost(since)
	}
	return r.steady.Sub(since.steady)
}

// atMost is a time that is not shorter than what has passed since then. A leader trusts this about its own lease.
func (r reading) atMost(since reading) time.Duration {
	return r.steady.Sub(since.steady) + r.asleep - since.asleep
}

// systemClock is the clock of the machine; in a testing/synctest bubble that of the bubble.
type systemClock struct{ wall wallWatch }

func (c *systemClock) now() reading {
	// In this order: a suspend between the two is then counted, and not missed.
	t := time.Now()
	r := reading{steady: t, wall: t.Round(0)}
	if r.asleep, r.exact = suspended(); !r.exact {
		r.asleep = c.wall.asleep(r.steady, r.wall)
	}
	return r
}

func (*systemClock) after(d time.Duration) (<-chan time.Time, func()) {
	timer := time.NewTimer(d)
	return timer.C, func() { timer.Stop() }
}

// wallWatch guesses from the wall clock how long the machine was suspended: where it has gone ahead of the steady clock, that is
// what one must assume. It may have been set, and a leader gives up too early then, which is safe. When it falls back, it was set,
// and that is not held against a suspend that was before or comes after: only if both are between two looks is it missed.
type wallWatch struct {
	mu           sync.Mutex
	steady, wall time.Time // at the last look at which the wall clock was not ahead
	sum          time.Duration
}

// wallNoise is how far ahead the wall clock may be before that counts: it is not read in the same moment, and may be slewed.
const wallNoise = 100 * time.Millisecond

func (w *wallWatch) asleep(steady, wall time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	ahead := wall.Sub(w.wall) - steady.Sub(w.steady)
	switch {
	case w.steady.IsZero(), ahead < 0:
	case ahead <= wallNoise:
		return w.sum
	default:
		w.sum += ahead
	}
	w.steady, w.wall = steady, wall
	return w.sum
}

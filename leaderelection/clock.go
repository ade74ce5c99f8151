package leaderelection

import (
	"sync"
	"time"
)

// clock is the time of one replica. It is an interface for tests, which stop it, suspend it, and set it.
type clock interface {
	now() reading
	// after is time.After with a stop function. It may take longer, as timers do not advance while the machine is
	// suspended.
	after(d time.Duration) (c <-chan time.Time, stop func())
}

// reading is a reading of the machine's clocks at one moment.
//
// Go's monotonic clock is never set, but on most systems it does not advance while the machine is suspended: a leader
// that wakes after an hour would believe that its lease is as fresh as before. So suspends are counted separately.
// Where that is only an estimate, two readings are compared in two ways, atLeast and atMost, and each decision uses the
// one that is safe for it.
type reading struct {
	steady time.Time // only its monotonic part is used
	wall   time.Time // without monotonic part; written to the lock, never used for arithmetic
	// asleep is how long the machine was suspended so far. If it is an estimate, it may be too long.
	asleep time.Duration
	exact  bool
}

// atLeast returns a lower bound of the time since another reading. A replica that waits for another's lease to end uses
// it.
func (r reading) atLeast(since reading) time.Duration {
	if r.exact && since.exact {
		return r.atMost(since)
	}
	return r.steady.Sub(since.steady)
}

// atMost returns an upper bound of the time since another reading. A leader uses it for its own lease.
func (r reading) atMost(since reading) time.Duration {
	return r.steady.Sub(since.steady) + r.asleep - since.asleep
}

// systemClock is the clock of the machine, or of the testing/synctest bubble.
type systemClock struct{ wall wallWatch }

func (c *systemClock) now() reading {
	// In this order a suspend between the two is counted, not missed.
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

// wallWatch estimates from the wall clock how long the machine was suspended: if it has gone ahead of the monotonic
// clock, a suspend is assumed. If the wall clock was set forward instead, a leader gives up too early, which is safe.
// If it goes back, it was set, and that is not subtracted from an earlier or later suspend: a suspend is missed only if
// both happen between two readings.
type wallWatch struct {
	mu           sync.Mutex
	steady, wall time.Time // at the last reading at which the wall clock was not ahead
	sum          time.Duration
}

// wallNoise is the difference that is ignored: the clocks are not read at the same moment, and the wall clock may be
// slewed.
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

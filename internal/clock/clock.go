// Package clock has the time of one replica, for leases: it counts suspends of the machine, and tests replace it.
package clock

import (
	"sync"
	"time"
)

// Clock is the time of one replica. It is an interface for tests, which stop it, suspend it, and set it.
type Clock interface {
	Now() Reading
	// After is time.After with a stop function. It may take longer, as timers do not advance while the machine is
	// suspended.
	After(d time.Duration) (c <-chan time.Time, stop func())
}

// Reading is a reading of the machine's clocks at one moment.
//
// Go's monotonic clock is never set, but on most systems it does not advance while the machine is suspended: a leader
// that wakes after an hour would believe that its lease is as fresh as before. So suspends are counted separately.
// Where that is only an estimate, two readings are compared in two ways, AtLeast and AtMost, and each decision uses the
// one that is safe for it.
type Reading struct {
	Steady time.Time // only its monotonic part is used
	Wall   time.Time // without monotonic part; written to leases, never used for arithmetic
	// Asleep is how long the machine was suspended so far. If it is an estimate, it may be too long.
	Asleep time.Duration
	// Exact reports whether Asleep was measured, not estimated.
	Exact bool
}

// AtLeast returns a lower bound of the time since another Reading. A replica that waits for another's lease to end uses
// it.
func (r Reading) AtLeast(since Reading) time.Duration {
	if r.Exact && since.Exact {
		return r.AtMost(since)
	}
	return r.Steady.Sub(since.Steady)
}

// AtMost returns an upper bound of the time since another Reading. A leader uses it for its own lease.
func (r Reading) AtMost(since Reading) time.Duration {
	return r.Steady.Sub(since.Steady) + r.Asleep - since.Asleep
}

// System is the clock of the machine, or of the testing/synctest bubble.
type System struct{ wall Estimate }

// Now implements Clock.
func (c *System) Now() Reading {
	// In this order a suspend between the two is counted, not missed.
	t := time.Now()
	r := Reading{Steady: t, Wall: t.Round(0)}
	if r.Asleep, r.Exact = suspended(); !r.Exact {
		r.Asleep = c.wall.Asleep(r.Steady, r.Wall)
	}
	return r
}

// After implements Clock.
func (*System) After(d time.Duration) (<-chan time.Time, func()) {
	timer := time.NewTimer(d)
	return timer.C, func() { timer.Stop() }
}

// Estimate estimates from the wall clock how long the machine was suspended: if it has gone ahead of the monotonic
// clock, a suspend is assumed. If the wall clock was set forward instead, a leader gives up too early, which is safe.
// If it goes back, it was set, and that is not subtracted from an earlier or later suspend: a suspend is missed only if
// both happen between two readings.
type Estimate struct {
	mu           sync.Mutex
	steady, wall time.Time // at the last reading at which the wall clock was not ahead
	sum          time.Duration
}

// wallNoise is the difference that is ignored: the clocks are not read at the same moment, and the wall clock may be
// slewed.
const wallNoise = 100 * time.Millisecond

// Asleep returns the sum of the suspends so far, given the clocks.
func (w *Estimate) Asleep(steady, wall time.Time) time.Duration {
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

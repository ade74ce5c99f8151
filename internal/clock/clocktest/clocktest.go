// Package clocktest has a clock for tests with testing/synctest.
package clocktest

import (
	"sync"
	"time"

	"vedette.dev/internal/clock"
)

// Clock is the clock of one replica. It can be stopped, like a process by SIGSTOP: then all its methods and timers block.
// It can also be fast or slow, and the machine can be suspended. The zero value is right.
type Clock struct {
	// Inexact says that suspends are not known, but estimated from the wall clock.
	Inexact bool
	// Rate is by how much the clock is too fast: 0.01 is 1 %. It is set before the clock is used.
	Rate float64

	mu      sync.Mutex
	stopped chan struct{} // closed when it goes on; nil if it goes
	began   time.Time
	asleep  time.Duration
	frozen  time.Duration // for how long the steady clock stood still, and timers with it
	wall    time.Duration // how wrong the wall clock is
	guess   clock.Estimate
}

func (c *Clock) gate() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopped
}

// Pass waits while the clock is stopped, but not longer than until is open. Until may be nil.
func (c *Clock) Pass(until <-chan struct{}) {
	for gate := c.gate(); gate != nil; gate = c.gate() {
		select {
		case <-gate:
		case <-until:
			return
		}
	}
}

// Stop stops the clock.
func (c *Clock) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = make(chan struct{})
}

// Continue lets a stopped clock go on.
func (c *Clock) Continue() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.stopped)
	c.stopped = nil
}

// Wake is Continue after a suspend of that length, in which the steady clock did not go on.
func (c *Clock) Wake(slept time.Duration) {
	c.mu.Lock()
	c.frozen += slept
	if !c.Inexact {
		c.asleep += slept
	}
	c.mu.Unlock()
	c.Continue()
}

// Jump adds to the time in suspend, and to the wall clock.
func (c *Clock) Jump(asleep, wall time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asleep, c.wall = c.asleep+asleep, c.wall+wall
}

// Now implements clock.Clock.
func (c *Clock) Now() clock.Reading {
	c.Pass(nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if c.began.IsZero() {
		c.began = now
	}
	if c.Rate != 0 {
		now = now.Add(time.Duration(float64(now.Sub(c.began)) * c.Rate))
	}
	r := clock.Reading{Steady: now.Add(-c.frozen), Wall: now.Round(0).Add(c.wall), Asleep: c.asleep, Exact: !c.Inexact}
	if c.Inexact {
		r.Asleep = c.guess.Asleep(r.Steady, r.Wall)
	}
	return r
}

// After implements clock.Clock.
func (c *Clock) After(d time.Duration) (<-chan time.Time, func()) {
	fire, stopped := make(chan time.Time, 1), make(chan struct{})
	timer := time.AfterFunc(time.Duration(float64(d)/(1+c.Rate)), func() {
		c.Pass(stopped)
		fire <- time.Now()
	})
	return fire, sync.OnceFunc(func() {
		timer.Stop()
		close(stopped)
	})
}

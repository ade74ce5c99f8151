package workqueue

import (
	"math"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// never is a time that does not come.
const never = math.MaxInt64

// timekeeper counts nanoseconds from its start, on the monotonic clock unless a clock was given: a jump of the wall
// clock moves nothing.
type timekeeper struct {
	epoch time.Time
	// other is nil for real time. Real time is read without it, and inside a synctest bubble it is the bubble's.
	other clock.WithTicker
}

func newTimekeeper(c clock.WithTicker) timekeeper {
	switch c.(type) {
	case nil, clock.RealClock, *clock.RealClock:
		return timekeeper{epoch: time.Now()}
	}
	return timekeeper{epoch: c.Now(), other: c}
}

func (t *timekeeper) now() int64 {
	if t.other != nil {
		return int64(t.other.Since(t.epoch))
	}
	return int64(time.Since(t.epoch))
}

// time turns a count of nanoseconds back into a point in time.
func (t *timekeeper) time(at int64) time.Time { return t.epoch.Add(time.Duration(at)) }

// after adds a delay to a time. Where that would overflow it stops just short of never, 292 years from now.
func after(now int64, delay time.Duration) int64 {
	if due := now + int64(delay); due >= now && due < never {
		return due
	}
	return never - 1
}

// alarm calls ring at a time that can be moved. It holds no goroutine while it waits on the real clock. Its owner
// calls set and stop one at a time, under a lock of its own that ring may take; wait is called without that lock.
type alarm struct {
	keeper *timekeeper
	ring   func()
	timer  *time.Timer
	cancel chan struct{}
	// pending counts the calls of ring that are running or will come.
	pending sync.WaitGroup
}

// set makes the alarm ring once, after d, instead of at the time set before.
func (a *alarm) set(d time.Duration) {
	switch {
	case a.keeper.other != nil:
		a.setOther(d)
	case a.timer == nil:
		a.pending.Add(1)
		a.timer = time.AfterFunc(d, func() {
			defer a.pending.Done()
			a.ring()
		})
	case !a.timer.Reset(d):
		a.pending.Add(1)
	}
}

// setOther waits on a clock that can only fill channels. Such clocks are made for tests, so a goroutine for each time
// set is good enough.
func (a *alarm) setOther(d time.Duration) {
	a.stop()
	if d <= 0 { // some clocks would wait until they are moved
		a.pending.Go(a.ring)
		return
	}
	timer, cancel := a.keeper.other.NewTimer(d), make(chan struct{})
	a.cancel = cancel
	a.pending.Go(func() {
		defer timer.Stop()
		select {
		case <-timer.C():
			a.ring()
		case <-cancel:
		}
	})
}

// stop makes the alarm silent, but for a call of ring that has begun.
func (a *alarm) stop() {
	if a.timer != nil && a.timer.Stop() {
		a.pending.Done()
	}
	if a.cancel != nil {
		close(a.cancel)
		a.cancel = nil
	}
}

// wait returns when no call of ring is running. It follows stop.
func (a *alarm) wait() { a.pending.Wait() }

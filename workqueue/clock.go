package workqueue

import (
	"math"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// never is a time that does not come.
const never = math.MaxInt64

// queueClock counts nanoseconds since the queue was made, on the monotonic clock unless the user brought a clock: a jump
// of the wall clock changes nothing.
type queueClock struct {
	epoch time.Time
	// custom is nil for real time, which inside a synctest bubble is the bubble's.
	custom clock.WithTicker
}

func newQueueClock(c clock.WithTicker) queueClock {
	switch c.(type) {
	case nil, clock.RealClock, *clock.RealClock:
		return queueClock{epoch: time.Now()}
	}
	return queueClock{epoch: c.Now(), custom: c}
}

func (c *queueClock) now() int64 {
	if c.custom != nil {
		return int64(c.custom.Since(c.epoch))
	}
	return int64(time.Since(c.epoch))
}

// time converts a result of now into a point in time.
func (c *queueClock) time(at int64) time.Time { return c.epoch.Add(time.Duration(at)) }

// after adds a delay to a time. If that would overflow it returns the last time before never, 292 years from now.
func after(now int64, delay time.Duration) int64 {
	if due := now + int64(delay); due >= now && due < never {
		return due
	}
	return never - 1
}

// timer calls fire at a time that can be moved. It has no goroutine while it waits on the real clock. Its owner calls
// set and stop one at a time, under a lock that fire may take too; wait is called without that lock.
type timer struct {
	clock  *queueClock
	fire   func()
	timer  *time.Timer
	cancel chan struct{}
	// pending counts the calls of fire that are running or will come.
	pending sync.WaitGroup
}

// set makes the timer fire once, after d, instead of at the time set before.
func (t *timer) set(d time.Duration) {
	switch {
	case t.clock.custom != nil:
		t.setCustom(d)
	case t.timer == nil:
		t.pending.Add(1)
		t.timer = time.AfterFunc(d, func() {
			defer t.pending.Done()
			t.fire()
		})
	case !t.timer.Reset(d):
		t.pending.Add(1)
	}
}

// setCustom waits on a clock that has timers with channels only. Such clocks are for tests, so a goroutine for each call
// is good enough.
func (t *timer) setCustom(d time.Duration) {
	t.stop()
	if d <= 0 { // some fake clocks would wait for their next step
		t.pending.Go(t.fire)
		return
	}
	waiter, cancel := t.clock.custom.NewTimer(d), make(chan struct{})
	t.cancel = cancel
	t.pending.Go(func() {
		defer waiter.Stop()
		select {
		case <-waiter.C():
			t.fire()
		case <-cancel:
		}
	})
}

// stop prevents further calls of fire, but not one that has begun.
func (t *timer) stop() {
	if t.timer != nil && t.timer.Stop() {
		t.pending.Done()
	}
	if t.cancel != nil {
		close(t.cancel)
		t.cancel = nil
	}
}

// wait returns when no call of fire is running. It follows stop.
func (t *timer) wait() { t.pending.Wait() }

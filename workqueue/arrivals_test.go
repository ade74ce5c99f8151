package workqueue

import (
	"testing"
	"testing/synctest"
	"time"
)

// arrivals starts a worker and returns when it got each key, relative to now.
func arrivals(q TypedInterface[string]) <-chan time.Duration {
	start, at := time.Now(), make(chan time.Duration, 10)
	go func() {
		for {
			key, shutdown := q.Get()
			if shutdown {
				return
			}
			at <- time.Since(start)
			q.Done(key)
		}
	}()
	return at
}

// expectWithin fails unless something arrives by the time d, to the nanosecond.
func expectWithin(t *testing.T, at <-chan time.Duration, d time.Duration) {
	t.Helper()
	pass(d)
	select {
	case got := <-at:
		if got > d {
			t.Errorf("the key came after %v, want %v", got, d)
		}
	default:
		t.Errorf("the key did not come within %v", d)
	}
}

// pass lets time pass in a bubble, and lets the timers fire that are due now: at the very moment in which a key is due, a caller
// of Len may come while it is on its way from the delayed keys to the ready queue.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

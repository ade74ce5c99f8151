package workqueue

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"
)

// forEachDelaying is for tests of point 68, which holds for all queues with AddAfter.
func forEachDelaying(t *testing.T, test func(t *testing.T, q TypedDelayingInterface[string])) {
	forEachKindInBubble(t, func(t *testing.T, q TypedInterface[string]) {
		if d, ok := q.(TypedDelayingInterface[string]); ok {
			test(t, d)
		}
	})
}

func TestDelayedKeyComesWhenItIsDueAndNotBefore(t *testing.T) {
	forEachDelaying(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		for _, d := range []time.Duration{1, 999_999, time.Second, 49 * time.Hour, 80 * 365 * 24 * time.Hour} {
			at := time.Now()
			q.AddAfter("a", d)
			key, _ := q.Get()
			if got := time.Since(at); key != "a" || got != d {
				t.Errorf("%q came after %v, want %v", key, got, d)
			}
			q.Done("a")
		}
	})
}

func TestEarlierOfTwoDelaysWins(t *testing.T) {
	forEachDelaying(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		q.AddAfter("a", 2*time.Second)
		q.AddAfter("a", time.Second)
		q.AddAfter("a", 3*time.Second)
		pass(time.Second - 1)
		expectNothing(t, q)
		pass(1)
		expect(t, q, "a")
		q.Done("a")
		pass(time.Minute)
		expectNothing(t, q) // the later ones were not adds of their own
	})
}

func TestZeroAndNegativeDelaysAddAtOnce(t *testing.T) {
	nan := math.NaN()
	forEachDelaying(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		for _, d := range []time.Duration{0, -1, math.MinInt64} {
			q.AddAfter("a", d)
			expect(t, q, "a")
			q.Done("a")
		}
		// What a NaN becomes depends on the machine, but the queue must go on.
		q.AddAfter("a", time.Duration(nan))
		q.AddAfter("b", 0)
		q.ShutDown()
	})
}

func TestLongestDelayIsJustLong(t *testing.T) {
	forEachDelaying(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		pass(time.Hour) // now plus the delay is more than an int64 holds
		q.AddAfter("a", math.MaxInt64)
		q.AddAfter("b", time.Second)
		pass(time.Second)
		expect(t, q, "b")
		expectNothing(t, q)
		if at, delayed := q.(TypedCanceler[string]).Due("a"); !delayed || at.Before(time.Now().Add(200*365*24*time.Hour)) {
			t.Errorf("Due is %v, %v", at, delayed)
		}
	})
}

func TestEqualDelaysComeInTheOrderOfTheirAdds(t *testing.T) {
	forEachDelaying(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		const n = 1000 // more than one batch
		for i := range n {
			q.AddAfter(fmt.Sprintf("a/%d", i), time.Minute)
		}
		pass(time.Minute)
		synctest.Wait()
		for i := range n {
			expect(t, q, fmt.Sprintf("a/%d", i))
		}
	})
}

func TestDelayedKeysAreDroppedAtShutDown(t *testing.T) {
	for _, drain := range []bool{false, true} {
		forEachDelaying(t, func(t *testing.T, q TypedDelayingInterface[string]) {
			q.AddAfter("a", time.Second)
			if drain {
				q.ShutDownWithDrain()
			} else {
				q.ShutDown()
			}
			pass(time.Minute)
			if key, shutdown := q.Get(); !shutdown {
				t.Errorf("Get returned %q", key)
			}
		})
	}
}

func TestDelayedKeyThatWasQueuedMeanwhileRunsOnceMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewTypedDelayingQueue[string]()
		defer q.ShutDown()
		q.AddAfter("a", time.Second)
		q.Add("a") // in the classic queue the delayed add is one of its own
		expect(t, q, "a")
		q.Done("a")
		pass(time.Second)
		expect(t, q, "a")
	})
}

func TestCancelTakesBackADelayedAddAndNothingElse(t *testing.T) {
	forEachDelaying(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		c := q.(TypedCanceler[string])
		if c.Cancel("a") {
			t.Error("Cancel of an unknown key says true")
		}
		q.AddAfter("a", time.Second)
		at, delayed := c.Due("a")
		if !delayed || !at.Equal(time.Now().Add(time.Second)) {
			t.Errorf("Due is %v, %v", at, delayed)
		}
		if !c.Cancel("a") || c.Cancel("a") {
			t.Error("Cancel must say true once")
		}
		if _, delayed := c.Due("a"); delayed {
			t.Error("Due after Cancel says true")
		}
		q.Add("b")
		if c.Cancel("b") {
			t.Error("Cancel of a queued key says true")
		}
		pass(time.Minute)
		expect(t, q, "b")
		expectNothing(t, q)
	})
}

// The wheel sorts delays into buckets of 2^20 ns, and those into buckets of 64. A key that was put into a large bucket
// long ago must still come before one that was put into a small bucket just now.
func TestDelaysAreExactAcrossTheBordersOfBuckets(t *testing.T) {
	forEachDelaying(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		const small = time.Duration(1 << 20)
		start := time.Now()
		next := func(want string, at time.Duration) {
			t.Helper()
			if key, _ := q.Get(); key != want || time.Since(start) != at {
				t.Errorf("%s came after %v, want %s after %v", key, time.Since(start), want, at)
			}
		}
		q.AddAfter("x", 64*small+100)
		q.AddAfter("z", 63*small+5)
		next("z", 63*small+5)
		q.AddAfter("y", small+195)
		next("x", 64*small+100)
		next("y", 64*small+200)
	})
}

// Keys that come all at once wake as many workers as they need, though only one is woken by the goroutine that adds them.
func TestAllWorkersWakeUpForKeysThatComeTogether(t *testing.T) {
	forEachDelaying(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		const n = 20
		taken := make(chan string, n)
		for i := range n {
			q.AddAfter(fmt.Sprintf("a/%d", i), time.Second)
			go func() {
				key, _ := q.Get() // and no Done: each worker takes one
				taken <- key
			}()
		}
		pass(time.Second)
		synctest.Wait()
		if len(taken) != n {
			t.Errorf("%d of %d workers woke up", len(taken), n)
		}
	})
}

package workqueue

import (
	"testing"
	"testing/synctest"
	"time"
)

// forEachHonest is for the queues that count failures once a back-off window: 1 s, 2 s, 4 s …
func forEachHonest(t *testing.T, test func(t *testing.T, q TypedRateLimitingInterface[string])) {
	for _, k := range queueKinds[4:] {
		t.Run(k.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := NewTypedItemExponentialFailureRateLimiter[string](time.Second, time.Hour)
				q := k.make(setup{limiter: l}).(TypedRateLimitingInterface[string])
				defer q.ShutDown()
				test(t, q)
			})
		})
	}
}

func expectRetries(t *testing.T, q TypedRateLimitingInterface[string], want int) {
	t.Helper()
	if got := q.NumRequeues("a"); got != want {
		t.Errorf("%d failures are counted, want %d", got, want)
	}
}

func TestClassicQueueAsksTheLimiterForEachAdd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewTypedItemExponentialFailureRateLimiter[string](time.Second, time.Hour)
		q := NewTypedRateLimitingQueue(l)
		defer q.ShutDown()
		start := time.Now()
		for n := range 5 {
			q.AddRateLimited("a")
			expectRetries(t, q, n+1)
		}
		q.Get() // the first, shortest delay wins
		if got := time.Since(start); got != time.Second {
			t.Errorf("the key came after %v", got)
		}
		q.Forget("a")
		expectRetries(t, q, 0)
		q.Done("a")
	})
}

func TestForgetLeavesTheQueueAsItIs(t *testing.T) {
	forEachHonest(t, func(t *testing.T, q TypedRateLimitingInterface[string]) {
		q.AddRateLimited("a")
		q.Forget("a")
		pass(time.Second)
		expect(t, q, "a")
	})
}

func TestTriggersInsideTheWindowAreNotCounted(t *testing.T) {
	forEachHonest(t, func(t *testing.T, q TypedRateLimitingInterface[string]) {
		q.AddRateLimited("a")
		for range 9 {
			pass(100 * time.Millisecond)
			q.Add("a") // an event: the key runs at once, and fails again
			expect(t, q, "a")
			q.AddRateLimited("a")
			q.Done("a")
			expectRetries(t, q, 1)
			expectNothing(t, q)
		}
		pass(100 * time.Millisecond)
		expect(t, q, "a") // the retry that was promised comes when it was promised
		q.Done("a")
		pass(time.Hour)
		expectNothing(t, q)
	})
}

func TestSpuriousFailuresInsideTheWindowAreNotCounted(t *testing.T) {
	forEachHonest(t, func(t *testing.T, q TypedRateLimitingInterface[string]) {
		for range 100 {
			q.AddRateLimited("a")
		}
		expectRetries(t, q, 1)
		at, _ := q.(TypedCanceler[string]).Due("a")
		if d := time.Until(at); d != time.Second {
			t.Errorf("the key is due in %v", d)
		}
	})
}

func TestNextFailureAfterTheWindowCounts(t *testing.T) {
	forEachHonest(t, func(t *testing.T, q TypedRateLimitingInterface[string]) {
		for n, delay := range []time.Duration{1 * time.Second, 2 * time.Second, 4 * time.Second} {
			at := time.Now()
			q.AddRateLimited("a")
			expectRetries(t, q, n+1)
			q.Get()
			if got := time.Since(at); got != delay {
				t.Errorf("failure %d: the key came after %v, want %v", n, got, delay)
			}
			q.Done("a")
		}
	})
}

func TestForgetClosesTheWindow(t *testing.T) {
	forEachHonest(t, func(t *testing.T, q TypedRateLimitingInterface[string]) {
		q.AddRateLimited("a")
		q.Add("a")
		expect(t, q, "a")
		q.Forget("a") // it worked; the next failure is the first again
		q.Done("a")
		pass(500 * time.Millisecond)
		q.(TypedCanceler[string]).Cancel("a")
		q.AddRateLimited("a")
		expectRetries(t, q, 1)
		if at, _ := q.(TypedCanceler[string]).Due("a"); time.Until(at) != time.Second {
			t.Errorf("the key is due in %v, want a new window", time.Until(at))
		}
	})
}

func TestCancelLeavesTheWindowOpen(t *testing.T) {
	forEachHonest(t, func(t *testing.T, q TypedRateLimitingInterface[string]) {
		q.AddRateLimited("a")
		q.(TypedCanceler[string]).Cancel("a")
		pass(300 * time.Millisecond)
		q.AddRateLimited("a")
		expectRetries(t, q, 1)
		pass(700 * time.Millisecond)
		expect(t, q, "a")
	})
}

// moody is a limiter that panics on request.
type moody struct {
	TypedRateLimiter[string]
	panics bool
}

func (l *moody) When(key string) time.Duration {
	if l.panics {
		panic("not today")
	}
	return l.TypedRateLimiter.When(key)
}

func TestLimiterThatPanicsLeavesTheQueueUsable(t *testing.T) {
	for _, k := range queueKinds[3:] {
		synctest.Test(t, func(t *testing.T) {
			l := &moody{NewTypedItemFastSlowRateLimiter[string](time.Second, time.Second, 1), true}
			q := k.make(setup{limiter: l}).(TypedRateLimitingInterface[string])
			defer q.ShutDown()
			if !quietly(func() { q.AddRateLimited("a") }) {
				t.Errorf("%s: the panic did not reach the caller", k.name)
			}
			expectNothing(t, q)
			l.panics = false
			q.AddRateLimited("a") // no window without an end was left behind
			pass(time.Second)
			expect(t, q, "a")
			q.Done("a")
			q.Add("a")
			expect(t, q, "a")
		})
	}
}

func TestHonestBackoffNeedsADelayingQueueOfThisPackage(t *testing.T) {
	own := NewTypedDelayingQueue[string]()
	defer own.ShutDown()
	foreign := struct{ TypedDelayingInterface[string] }{own}
	config := TypedRateLimitingQueueConfig[string]{DelayingQueue: foreign, HonestBackoff: true}
	mustPanic(t, func() {
		NewTypedRateLimitingQueueWithConfig(DefaultTypedItemBasedRateLimiter[string](), config)
	}, "HonestBackoff")
	config.HonestBackoff = false
	q := NewTypedRateLimitingQueueWithConfig(DefaultTypedItemBasedRateLimiter[string](), config)
	q.Add("a")
	q.AddAfter("b", time.Hour)
	i, c := q.(TypedInspector[string]), q.(TypedCanceler[string])
	if _, delayed := c.Due("b"); delayed || c.Cancel("b") || i.Snapshot(0).QueuedCount != 1 {
		t.Error("a queue of the user's can neither cancel nor tell more than its length")
	}
}

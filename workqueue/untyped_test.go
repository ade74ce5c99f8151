package workqueue

import (
	"testing"
	"testing/synctest"
	"time"

	testingclock "k8s.io/utils/clock/testing"
)

// The names from before type parameters have to exist, to fit together and to work.
func TestUntypedNamesWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := NewMaxOfRateLimiter(NewItemFastSlowRateLimiter(time.Second, time.Hour, 5), NewItemBucketRateLimiter(1, 5))
		var limited RateLimiter = NewWithMaxWaitRateLimiter(limiter, time.Second)
		var below Interface = New()
		queues := map[string]Interface{
			"New":                             New(),
			"NewNamed":                        NewNamed("q"),
			"NewWithConfig":                   NewWithConfig(QueueConfig{}),
			"NewDelayingQueue":                NewDelayingQueue(),
			"NewDelayingQueueWithConfig":      NewDelayingQueueWithConfig(DelayingQueueConfig{}),
			"NewDelayingQueueWithCustomClock": NewDelayingQueueWithCustomClock(testingclock.NewFakeClock(time.Now()), "q"),
			"NewDelayingQueueWithCustomQueue": NewDelayingQueueWithCustomQueue(below, "q"),
			"NewNamedDelayingQueue":           NewNamedDelayingQueue("q"),
			"TypedNewDelayingQueue":           TypedNewDelayingQueue[any](),
			"NewRateLimitingQueue":            NewRateLimitingQueue(DefaultControllerRateLimiter()),
			"NewRateLimitingQueueWithConfig":  NewRateLimitingQueueWithConfig(DefaultItemBasedRateLimiter(), RateLimitingQueueConfig{}),
			"NewNamedRateLimitingQueue":       NewNamedRateLimitingQueue(limited, "q"),
			"NewRateLimitingQueueWithDelayingInterface": NewRateLimitingQueueWithDelayingInterface(
				NewDelayingQueue(), NewItemExponentialFailureRateLimiter(time.Second, time.Hour)),
		}
		for name, q := range queues {
			q.Add(1)
			q.Add("two")
			q.Add(1)
			expect[any](t, q, 1, "two")
			q.Done(1)
			if r, ok := q.(RateLimitingInterface); ok {
				r.AddRateLimited(3)
				if r.NumRequeues(3) != 1 {
					t.Errorf("%s: %d failures are counted", name, r.NumRequeues(3))
				}
				pass(time.Second)
				expect[any](t, q, 3)
				r.Forget(3)
			} else if d, ok := q.(DelayingInterface); ok {
				d.AddAfter(3, 0)
				expect[any](t, q, 3)
			}
			q.ShutDown()
			if !q.ShuttingDown() {
				t.Errorf("%s: not shutting down", name)
			}
		}
	})
}

func TestDelayingQueueShowsTheQueueBelow(t *testing.T) {
	below := NewTyped[string]()
	q := NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{Queue: below})
	defer q.ShutDown()
	q.Add("a")
	q.AddAfter("b", time.Hour)
	if s := q.(TypedInspector[string]).Snapshot(0); s.QueuedCount != 1 || s.WaitingCount != 1 {
		t.Errorf("snapshot %+v", s)
	}
	expect[string](t, below, "a")
}

// A queue of the user's below is given what is due one by one.
func TestDelayingQueueFeedsAQueueOfTheUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		below := struct{ TypedInterface[string] }{NewTyped[string]()}
		q := NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{Queue: below})
		defer q.ShutDown()
		q.AddAfter("a", time.Second)
		q.AddAfter("b", time.Second)
		pass(time.Second)
		expect(t, q, "a", "b")
		if s := q.(TypedInspector[string]).Snapshot(0); s.QueuedCount != 0 || s.WaitingCount != 0 {
			t.Errorf("snapshot %+v", s)
		}
		if _, found := q.(TypedInspector[string]).Find("a"); found {
			t.Error("a queue of the user's cannot be looked into")
		}
	})
}

package workqueue

import (
	"math"
	"testing"
	"time"

	"golang.org/x/time/rate"
)

func TestNilLimiterPanicsWithASentence(t *testing.T) {
	for _, f := range []func(){
		func() { NewTypedRateLimitingQueue[string](nil) },
		func() { NewTypedRateLimitingQueueWithConfig[string](nil, TypedRateLimitingQueueConfig[string]{}) },
		func() { NewRateLimitingQueue(nil) },
		func() { NewRateLimitingQueueWithConfig(nil, RateLimitingQueueConfig{}) },
		func() { NewNamedRateLimitingQueue(nil, "q") },
		func() { NewRateLimitingQueueWithDelayingInterface(NewDelayingQueue(), nil) },
		func() { NewTypedMaxOfRateLimiter(DefaultTypedItemBasedRateLimiter[string](), nil) },
		func() { NewMaxOfRateLimiter(nil) },
		func() { NewTypedWithMaxWaitRateLimiter[string](nil, 0) },
		func() { NewWithMaxWaitRateLimiter(nil, 0) },
	} {
		mustPanic(t, f, "nil", "DefaultTypedControllerRateLimiter")
	}
}

// Each call that takes a key, with a key that is none.
func TestKeyThatIsNoKeyPanicsWithASentenceAndChangesNothing(t *testing.T) {
	fair, err := NewFair(FairConfig[any]{})
	if err != nil {
		t.Fatal(err)
	}
	limiter := NewItemExponentialFailureRateLimiter(time.Millisecond, time.Second)
	queues := map[string]TypedRateLimitingInterface[any]{
		"classic": NewRateLimitingQueue(limiter),
		"honest":  NewRateLimitingQueueWithConfig(DefaultItemBasedRateLimiter(), RateLimitingQueueConfig{HonestBackoff: true}),
		"bucket":  NewRateLimitingQueue(NewTypedItemBucketRateLimiter[any](rate.Limit(1), 1)),
		"fair":    fair,
	}
	for name, q := range queues {
		t.Run(name, func(t *testing.T) {
			defer q.ShutDown()
			for _, key := range []any{[]int{1}, map[string]int{}, struct{ f any }{func() {}}, math.NaN()} {
				for _, f := range []func(){
					func() { q.Add(key) },
					func() { q.AddAfter(key, 0) },
					func() { q.AddAfter(key, time.Second) },
					func() { q.AddRateLimited(key) },
					func() { q.Done(key) },
					func() { q.(TypedInspector[any]).Find(key) },
					func() { q.(TypedCanceler[any]).Cancel(key) },
					func() { q.(TypedCanceler[any]).Due(key) },
				} {
					mustPanic(t, f, "cannot be a key")
				}
			}
			q.Add("good")
			expect[any](t, q, "good")
			q.Done("good")
			if s := q.(TypedInspector[any]).Snapshot(0); s.QueuedCount+s.ProcessingCount+s.WaitingCount != 0 {
				t.Errorf("something was left behind: %+v", s)
			}
		})
	}
	mustPanic(t, func() { NewTyped[float64]().Add(math.NaN()) }, "float64", "NaN")
}

func TestDoneOfKeyNotProcessingIsHarmless(t *testing.T) {
	forEachKind(t, func(t *testing.T, q TypedInterface[string]) {
		q.Done("unknown")
		q.Add("a")
		q.Done("a") // queued, not taken: must not queue it twice
		q.Add("a")
		if q.Len() != 1 {
			t.Errorf("Len is %d, want 1", q.Len())
		}
		expect(t, q, "a")
		q.Done("a")
		q.Done("a")
		expectNothing(t, q)
		q.Add("a")
		expect(t, q, "a")
		q.Add("a")
		q.Done("a")
		q.Done("a") // it waits again
		if q.Len() != 1 {
			t.Errorf("Len is %d, want 1", q.Len())
		}
	})
}

func TestNegativeMaxSkipsIsAnErrorThatNamesTheField(t *testing.T) {
	q, err := NewFair(FairConfig[string]{MaxSkips: -3})
	if q != nil || err == nil || err.Error() != "workqueue: FairConfig.MaxSkips is -3; it must not be negative" {
		t.Errorf("NewFair returned %v, %v", q, err)
	}
}

func TestPrioritiesBeyond32BitsAreCut(t *testing.T) {
	q, err := NewFair(FairConfig[string]{Priority: func(string) int { return math.MinInt64 }})
	if err != nil {
		t.Fatal(err)
	}
	defer q.ShutDown()
	most := math.MaxInt64
	q.Add("last")
	q.AddWithOpts(AddOpts{Priority: &most}, "first")
	for _, want := range []struct {
		key      string
		priority int
	}{{"first", math.MaxInt32}, {"last", math.MinInt32}} {
		if key, p, _ := q.GetWithPriority(); key != want.key || p != want.priority {
			t.Errorf("got %s with %d, want %+v", key, p, want)
		}
	}
}

func TestTenantThatPanicsInAddLeavesTheQueueUsable(t *testing.T) {
	fail := true
	q, err := NewFair(FairConfig[string]{Tenant: func(string) string {
		if fail {
			panic("no tenant")
		}
		return ""
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer q.ShutDown()
	if !quietly(func() { q.Add("a") }) {
		t.Error("the panic did not reach the caller")
	}
	fail = false
	q.Add("a")
	expect(t, q, "a")
	q.Done("a")
	if err := q.queue.verify(); err != nil {
		t.Error(err)
	}
}

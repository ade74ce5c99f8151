package workqueue

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
)

func expectDelays(t *testing.T, l TypedRateLimiter[string], item string, want ...time.Duration) {
	t.Helper()
	for i, w := range want {
		if got := l.When(item); got != w {
			t.Errorf("delay %d of %s is %v, want %v", i, item, got, w)
		}
	}
}

func TestExponentialLimiterDoublesUpToItsMaximum(t *testing.T) {
	l := NewTypedItemExponentialFailureRateLimiter[string](time.Millisecond, 10*time.Millisecond)
	expectDelays(t, l, "a", 1*time.Millisecond, 2*time.Millisecond, 4*time.Millisecond, 8*time.Millisecond, 10*time.Millisecond)
	expectDelays(t, l, "b", time.Millisecond)
	if l.NumRequeues("a") != 5 || l.NumRequeues("b") != 1 || l.NumRequeues("c") != 0 {
		t.Error("NumRequeues is not the number of calls of When")
	}
	l.Forget("a")
	l.Forget("c")
	if l.NumRequeues("a") != 0 {
		t.Error("Forget did not forget")
	}
	expectDelays(t, l, "a", time.Millisecond)
}

func TestExponentialLimiterDoesNotOverflow(t *testing.T) {
	for _, base := range []time.Duration{0, 1, time.Millisecond, 3 * time.Hour, math.MaxInt64} {
		for _, most := range []time.Duration{time.Second, math.MaxInt64} {
			l, last := NewTypedItemExponentialFailureRateLimiter[string](base, most), time.Duration(0)
			for n := range 2000 {
				d := l.When("a")
				if d < last || d > most || base == 0 && d != 0 {
					t.Fatalf("base %v, max %v: delay %d is %v, after %v", base, most, n, d, last)
				}
				last = d
			}
			if base > 0 && last != most {
				t.Errorf("base %v: the last delay is %v, want %v", base, last, most)
			}
			if l.NumRequeues("a") != 2000 {
				t.Errorf("%d failures are counted, want 2000", l.NumRequeues("a"))
			}
		}
	}
}

func TestFastSlowLimiterIsFastFirst(t *testing.T) {
	l := NewTypedItemFastSlowRateLimiter[string](time.Millisecond, time.Second, 2)
	expectDelays(t, l, "a", time.Millisecond, time.Millisecond, time.Second, time.Second)
	expectDelays(t, l, "b", time.Millisecond)
	l.Forget("a")
	expectDelays(t, l, "a", time.Millisecond)
	if l.NumRequeues("a") != 1 {
		t.Errorf("%d failures are counted, want 1", l.NumRequeues("a"))
	}
}

func TestBucketLimiterDelaysAllItemsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &TypedBucketRateLimiter[string]{rate.NewLimiter(10, 2)}
		expectDelays(t, l, "a", 0)
		expectDelays(t, l, "b", 0)
		expectDelays(t, l, "c", 100*time.Millisecond)
		l.Forget("c")
		if l.NumRequeues("c") != 0 {
			t.Error("a bucket counts no failures")
		}
		expectDelays(t, l, "c", 200*time.Millisecond)
	})
}

func TestBucketThatGivesNothingDelaysForAsLongAsThereIs(t *testing.T) {
	l := &TypedBucketRateLimiter[string]{rate.NewLimiter(10, 0)}
	expectDelays(t, l, "a", math.MaxInt64)
	q := NewTypedRateLimitingQueue[string](l)
	defer q.ShutDown()
	q.AddRateLimited("a")
	expectNothing(t, q)
	mustPanic(t, func() { new(TypedBucketRateLimiter[string]).When("a") }, "BucketRateLimiter.Limiter is nil")
}

func TestMaxOfTakesTheWorstAndAsksAll(t *testing.T) {
	fast := NewTypedItemFastSlowRateLimiter[string](time.Second, 5*time.Second, 1)
	exp := NewTypedItemExponentialFailureRateLimiter[string](2*time.Second, time.Minute)
	l := NewTypedMaxOfRateLimiter(fast, exp)
	exp.When("a")
	expectDelays(t, l, "a", 4*time.Second, 8*time.Second)
	if fast.NumRequeues("a") != 2 || exp.NumRequeues("a") != 3 || l.NumRequeues("a") != 3 {
		t.Error("When did not ask all, or NumRequeues is not the largest")
	}
	l.Forget("a")
	if fast.NumRequeues("a")+exp.NumRequeues("a") != 0 {
		t.Error("Forget did not tell all")
	}
	expectDelays(t, NewTypedMaxOfRateLimiter[string](), "a", 0)
}

func TestMaxOfUsesUpABucketsTokensAlsoWhenAnotherIsWorse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bucket := &TypedBucketRateLimiter[string]{rate.NewLimiter(1, 1)}
		l := NewTypedMaxOfRateLimiter[string](bucket, NewTypedItemFastSlowRateLimiter[string](time.Minute, time.Minute, 0))
		expectDelays(t, l, "a", time.Minute)
		expectDelays(t, bucket, "a", time.Second)
	})
}

func TestMaxWaitCapsAnotherLimiter(t *testing.T) {
	inner := NewTypedItemExponentialFailureRateLimiter[string](time.Second, time.Hour)
	l := NewTypedWithMaxWaitRateLimiter(inner, 3*time.Second)
	expectDelays(t, l, "a", 1*time.Second, 2*time.Second, 3*time.Second, 3*time.Second)
	if l.NumRequeues("a") != 4 {
		t.Errorf("%d failures are counted, want 4", l.NumRequeues("a"))
	}
	l.Forget("a")
	if inner.NumRequeues("a") != 0 {
		t.Error("Forget did not reach the other limiter")
	}
}

func TestDefaultLimiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := DefaultTypedControllerRateLimiter[string]()
		expectDelays(t, l, "a", 5*time.Millisecond, 10*time.Millisecond, 20*time.Millisecond)
		for range 97 { // the rest of the burst
			l.When("b")
		}
		expectDelays(t, l, "c", 100*time.Millisecond)
		for range 30 {
			l.When("a")
		}
		expectDelays(t, l, "a", 1000*time.Second)
		l = DefaultTypedItemBasedRateLimiter[string]()
		expectDelays(t, l, "a", time.Millisecond, 2*time.Millisecond)
		for range 200 {
			l.When("a")
		}
		expectDelays(t, l, "a", 1000*time.Second)
	})
}

package workqueue

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
)

func TestItemBucketGivesEachItemItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewTypedItemBucketRateLimiter[string](10, 2)
		expectDelays(t, l, "a", 0, 0, 100*time.Millisecond, 200*time.Millisecond)
		expectDelays(t, l, "b", 0)
		if l.NumRequeues("a") != 0 {
			t.Error("a bucket counts no failures")
		}
	})
}

func TestForgetDoesNotGiveAnItemANewBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewTypedItemBucketRateLimiter[string](1, 2)
		expectDelays(t, l, "a", 0, 0)
		l.Forget("a")
		expectDelays(t, l, "a", time.Second)
		l.Forget("a")
		time.Sleep(time.Hour)
		expectDelays(t, l, "a", 0, 0, time.Second) // by now the bucket is full, whether it was kept or not
	})
}

func TestForgottenBucketsGoAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewTypedItemBucketRateLimiter[string](1, 1)
		const n = 1000
		for i := range n {
			l.When(fmt.Sprint(i))
			l.Forget(fmt.Sprint(i))
		}
		time.Sleep(2 * time.Second) // all of them are full again
		for range n / 2 {           // each call takes some of them away
			l.When("a")
			l.Forget("b")
		}
		if got := l.buckets.Len(); got != 1 {
			t.Errorf("%d buckets are left, want that of a", got)
		}
	})
}

func TestBucketThatIsUsedAgainIsNotForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewTypedItemBucketRateLimiter[string](1, 1)
		l.When("a")
		l.Forget("a")
		l.When("a") // it is wanted again, and full two seconds later than was noted
		time.Sleep(1500 * time.Millisecond)
		l.Forget("nobody")
		expectDelays(t, l, "a", 500*time.Millisecond) // a new bucket would say zero
	})
}

func TestItemBucketsWithStrangeLimits(t *testing.T) {
	for _, limit := range []rate.Limit{0, rate.Inf, -1, rate.Limit(math.NaN())} {
		for _, burst := range []int{0, 1} {
			l := NewTypedItemBucketRateLimiter[string](limit, burst)
			for range 3 {
				l.When("a")
				l.Forget("a")
			}
		}
	}
}

package workqueue

import (
	"time"

	"golang.org/x/time/rate"
)

// DefaultTypedControllerRateLimiter is what most controllers use: each item backs off from 5 ms to 1000 s, and all
// together stay below 10 a second with bursts of 100.
func DefaultTypedControllerRateLimiter[T comparable]() TypedRateLimiter[T] {
	return NewTypedMaxOfRateLimiter(
		NewTypedItemExponentialFailureRateLimiter[T](5*time.Millisecond, 1000*time.Second),
		&TypedBucketRateLimiter[T]{Limiter: rate.NewLimiter(10, 100)},
	)
}

// DefaultTypedItemBasedRateLimiter backs each item off from 1 ms to 1000 s, with no bound for all together.
func DefaultTypedItemBasedRateLimiter[T comparable]() TypedRateLimiter[T] {
	return NewTypedItemExponentialFailureRateLimiter[T](time.Millisecond, 1000*time.Second)
}

// TypedBucketRateLimiter delays all items by one token bucket. It counts no failures.
type TypedBucketRateLimiter[T comparable] struct {
	*rate.Limiter
}

// When takes a token and returns the time until it is there. For a bucket that never has one (burst 0) it returns
// the longest possible delay.
func (r *TypedBucketRateLimiter[T]) When(T) time.Duration {
	if r.Limiter == nil {
		panic("workqueue: BucketRateLimiter.Limiter is nil; make one with rate.NewLimiter")
	}
	return r.Limiter.Reserve().Delay()
}

// NumRequeues always returns zero.
func (r *TypedBucketRateLimiter[T]) NumRequeues(T) int { return 0 }

// Forget does nothing.
func (r *TypedBucketRateLimiter[T]) Forget(T) {}

// TypedItemExponentialFailureRateLimiter doubles the delay of an item with each failure, up to a maximum.
type TypedItemExponentialFailureRateLimiter[T comparable] struct {
	failures  *failures[T]
	baseDelay time.Duration
	maxDelay  time.Duration
}

// NewTypedItemExponentialFailureRateLimiter returns a limiter with delays of baseDelay, 2·baseDelay, 4·baseDelay and so
// on, up to maxDelay.
func NewTypedItemExponentialFailureRateLimiter[T comparable](baseDelay time.Duration, maxDelay time.Duration) TypedRateLimiter[T] {
	return &TypedItemExponentialFailureRateLimiter[T]{
		failures:  newFailures[T](),
		baseDelay: baseDelay,
		maxDelay:  maxDelay,
	}
}

// When counts a failure and returns the delay for it.
func (r *TypedItemExponentialFailureRateLimiter[T]) When(item T) time.Duration {
	n := r.failures.count(item)
	if r.baseDelay > 0 && (n > 62 || r.baseDelay > r.maxDelay>>n) {
		return r.maxDelay
	}
	return min(r.baseDelay<<n, r.maxDelay)
}

// NumRequeues returns the number of failures of item.
func (r *TypedItemExponentialFailureRateLimiter[T]) NumRequeues(item T) int {
	return r.failures.of(item)
}

// Forget sets the failures of item back to zero.
func (r *TypedItemExponentialFailureRateLimiter[T]) Forget(item T) { r.failures.forget(item) }

// TypedItemFastSlowRateLimiter gives the first failures of an item a short delay and later ones a long one.
type TypedItemFastSlowRateLimiter[T comparable] struct {
	failures        *failures[T]
	fastDelay       time.Duration
	slowDelay       time.Duration
	maxFastAttempts int
}

// NewTypedItemFastSlowRateLimiter returns a limiter with maxFastAttempts short delays an item.
func NewTypedItemFastSlowRateLimiter[T comparable](fastDelay, slowDelay time.Duration, maxFastAttempts int) TypedRateLimiter[T] {
	return &TypedItemFastSlowRateLimiter[T]{
		failures:        newFailures[T](),
		fastDelay:       fastDelay,
		slowDelay:       slowDelay,
		maxFastAttempts: maxFastAttempts,
	}
}

// When counts a failure and returns the delay for it.
func (r *TypedItemFastSlowRateLimiter[T]) When(item T) time.Duration {
	if r.failures.count(item) < r.maxFastAttempts {
		return r.fastDelay
	}
	return r.slowDelay
}

// NumRequeues returns the number of failures of item.
func (r *TypedItemFastSlowRateLimiter[T]) NumRequeues(item T) int { return r.failures.of(item) }

// Forget sets the failures of item back to zero.
func (r *TypedItemFastSlowRateLimiter[T]) Forget(item T) { r.failures.forget(item) }

// TypedMaxOfRateLimiter returns the longest delay of several limiters.
type TypedMaxOfRateLimiter[T comparable] struct {
	limiters []TypedRateLimiter[T]
}

// NewTypedMaxOfRateLimiter combines limiters. It panics if one of them is nil.
func NewTypedMaxOfRateLimiter[T comparable](limiters ...TypedRateLimiter[T]) TypedRateLimiter[T] {
	for _, l := range limiters {
		mustLimiter("NewMaxOfRateLimiter", l)
	}
	return &TypedMaxOfRateLimiter[T]{limiters: limiters}
}

// When calls all limiters, each of which counts a failure, and returns the longest delay.
func (r *TypedMaxOfRateLimiter[T]) When(item T) time.Duration {
	var longest time.Duration
	for _, l := range r.limiters {
		longest = max(longest, l.When(item))
	}
	return longest
}

// NumRequeues returns the largest number of failures that a limiter has counted.
func (r *TypedMaxOfRateLimiter[T]) NumRequeues(item T) int {
	most := 0
	for _, l := range r.limiters {
		most = max(most, l.NumRequeues(item))
	}
	return most
}

// Forget calls Forget of all limiters.
func (r *TypedMaxOfRateLimiter[T]) Forget(item T) {
	for _, l := range r.limiters {
		l.Forget(item)
	}
}

// TypedWithMaxWaitRateLimiter caps the delays of another limiter.
type TypedWithMaxWaitRateLimiter[T comparable] struct {
	limiter  TypedRateLimiter[T]
	maxDelay time.Duration
}

// NewTypedWithMaxWaitRateLimiter caps the delays of limiter at maxDelay. It panics if limiter is nil.
func NewTypedWithMaxWaitRateLimiter[T comparable](limiter TypedRateLimiter[T], maxDelay time.Duration) TypedRateLimiter[T] {
	mustLimiter("NewWithMaxWaitRateLimiter", limiter)
	return &TypedWithMaxWaitRateLimiter[T]{limiter: limiter, maxDelay: maxDelay}
}

// When returns the other limiter's delay, or maxDelay if that is shorter.
func (w TypedWithMaxWaitRateLimiter[T]) When(item T) time.Duration {
	return min(w.limiter.When(item), w.maxDelay)
}

// Forget calls Forget of the other limiter.
func (w TypedWithMaxWaitRateLimiter[T]) Forget(item T) { w.limiter.Forget(item) }

// NumRequeues returns NumRequeues of the other limiter.
func (w TypedWithMaxWaitRateLimiter[T]) NumRequeues(item T) int { return w.limiter.NumRequeues(item) }

func mustLimiter[T comparable](who string, l TypedRateLimiter[T]) {
	if l == nil {
		panic("workqueue: " + who + ": a rate limiter is nil; DefaultTypedControllerRateLimiter is a good one")
	}
}

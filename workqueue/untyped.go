package workqueue

import (
	"time"

	"golang.org/x/time/rate"
	"k8s.io/utils/clock"
)

// This file holds the names from before type parameters: each is the typed one at any.

// Interface is a queue of anything.
//
// Deprecated: use [TypedInterface].
type Interface TypedInterface[any]

// DelayingInterface is a delaying queue of anything.
//
// Deprecated: use [TypedDelayingInterface].
type DelayingInterface TypedDelayingInterface[any]

// RateLimitingInterface is a rate-limiting queue of anything.
//
// Deprecated: use [TypedRateLimitingInterface].
type RateLimitingInterface TypedRateLimitingInterface[any]

// RateLimiter limits anything.
//
// Deprecated: use [TypedRateLimiter].
type RateLimiter TypedRateLimiter[any]

// The structs of the typed surface at any.
//
// Deprecated: use the typed ones.
type (
	Type                              = Typed[any]
	QueueConfig                       = TypedQueueConfig[any]
	DelayingQueueConfig               = TypedDelayingQueueConfig[any]
	RateLimitingQueueConfig           = TypedRateLimitingQueueConfig[any]
	BucketRateLimiter                 = TypedBucketRateLimiter[any]
	ItemBucketRateLimiter             = TypedItemBucketRateLimiter[any]
	ItemExponentialFailureRateLimiter = TypedItemExponentialFailureRateLimiter[any]
	ItemFastSlowRateLimiter           = TypedItemFastSlowRateLimiter[any]
	MaxOfRateLimiter                  = TypedMaxOfRateLimiter[any]
	WithMaxWaitRateLimiter            = TypedWithMaxWaitRateLimiter[any]
)

// New returns a queue.
//
// Deprecated: use [NewTyped].
func New() *Type { return NewTyped[any]() }

// NewNamed returns a queue with a name in metrics.
//
// Deprecated: use [NewTypedWithConfig].
func NewNamed(name string) *Type { return NewWithConfig(QueueConfig{Name: name}) }

// NewWithConfig returns a queue.
//
// Deprecated: use [NewTypedWithConfig].
func NewWithConfig(config QueueConfig) *Type { return NewTypedWithConfig(config) }

// NewDelayingQueue returns a delaying queue.
//
// Deprecated: use [NewTypedDelayingQueue].
func NewDelayingQueue() DelayingInterface { return NewTypedDelayingQueue[any]() }

// NewDelayingQueueWithConfig returns a delaying queue.
//
// Deprecated: use [NewTypedDelayingQueueWithConfig].
func NewDelayingQueueWithConfig(config DelayingQueueConfig) DelayingInterface {
	return NewTypedDelayingQueueWithConfig(config)
}

// NewDelayingQueueWithCustomClock returns a delaying queue with a clock of the user's.
//
// Deprecated: use [NewTypedDelayingQueueWithConfig].
func NewDelayingQueueWithCustomClock(clock clock.WithTicker, name string) DelayingInterface {
	return NewDelayingQueueWithConfig(DelayingQueueConfig{Name: name, Clock: clock})
}

// NewDelayingQueueWithCustomQueue returns a delaying queue on top of a queue of the user's.
//
// Deprecated: use [NewTypedDelayingQueueWithConfig].
func NewDelayingQueueWithCustomQueue(q Interface, name string) DelayingInterface {
	return NewDelayingQueueWithConfig(DelayingQueueConfig{Name: name, Queue: q})
}

// NewNamedDelayingQueue returns a delaying queue with a name in metrics.
//
// Deprecated: use [NewTypedDelayingQueueWithConfig].
func NewNamedDelayingQueue(name string) DelayingInterface {
	return NewDelayingQueueWithConfig(DelayingQueueConfig{Name: name})
}

// TypedNewDelayingQueue returns a delaying queue.
//
// Deprecated: use [NewTypedDelayingQueue].
func TypedNewDelayingQueue[T comparable]() TypedDelayingInterface[T] {
	return NewTypedDelayingQueue[T]()
}

// NewRateLimitingQueue returns a rate-limiting queue.
//
// Deprecated: use [NewTypedRateLimitingQueue].
func NewRateLimitingQueue(rateLimiter RateLimiter) RateLimitingInterface {
	return NewRateLimitingQueueWithConfig(rateLimiter, RateLimitingQueueConfig{})
}

// NewRateLimitingQueueWithConfig returns a rate-limiting queue.
//
// Deprecated: use [NewTypedRateLimitingQueueWithConfig].
func NewRateLimitingQueueWithConfig(rateLimiter RateLimiter, config RateLimitingQueueConfig) RateLimitingInterface {
	return NewTypedRateLimitingQueueWithConfig(rateLimiter, config)
}

// NewNamedRateLimitingQueue returns a rate-limiting queue with a name in metrics.
//
// Deprecated: use [NewTypedRateLimitingQueueWithConfig].
func NewNamedRateLimitingQueue(rateLimiter RateLimiter, name string) RateLimitingInterface {
	return NewRateLimitingQueueWithConfig(rateLimiter, RateLimitingQueueConfig{Name: name})
}

// NewRateLimitingQueueWithDelayingInterface returns a rate-limiting queue on top of a delaying queue of the user's.
//
// Deprecated: use [NewTypedRateLimitingQueueWithConfig].
func NewRateLimitingQueueWithDelayingInterface(di DelayingInterface, rateLimiter RateLimiter) RateLimitingInterface {
	return NewRateLimitingQueueWithConfig(rateLimiter, RateLimitingQueueConfig{DelayingQueue: di})
}

// DefaultControllerRateLimiter is [DefaultTypedControllerRateLimiter] for anything.
//
// Deprecated: use DefaultTypedControllerRateLimiter.
func DefaultControllerRateLimiter() RateLimiter { return DefaultTypedControllerRateLimiter[any]() }

// DefaultItemBasedRateLimiter is [DefaultTypedItemBasedRateLimiter] for anything.
//
// Deprecated: use DefaultTypedItemBasedRateLimiter.
func DefaultItemBasedRateLimiter() RateLimiter { return DefaultTypedItemBasedRateLimiter[any]() }

// NewItemExponentialFailureRateLimiter is [NewTypedItemExponentialFailureRateLimiter] for anything.
//
// Deprecated: use NewTypedItemExponentialFailureRateLimiter.
func NewItemExponentialFailureRateLimiter(baseDelay time.Duration, maxDelay time.Duration) RateLimiter {
	return NewTypedItemExponentialFailureRateLimiter[any](baseDelay, maxDelay)
}

// NewItemFastSlowRateLimiter is [NewTypedItemFastSlowRateLimiter] for anything.
//
// Deprecated: use NewTypedItemFastSlowRateLimiter.
func NewItemFastSlowRateLimiter(fastDelay, slowDelay time.Duration, maxFastAttempts int) RateLimiter {
	return NewTypedItemFastSlowRateLimiter[any](fastDelay, slowDelay, maxFastAttempts)
}

// NewItemBucketRateLimiter is [NewTypedItemBucketRateLimiter] for anything.
//
// Deprecated: use NewTypedItemBucketRateLimiter.
func NewItemBucketRateLimiter(limit rate.Limit, burst int) *ItemBucketRateLimiter {
	return NewTypedItemBucketRateLimiter[any](limit, burst)
}

// NewMaxOfRateLimiter is [NewTypedMaxOfRateLimiter] for anything.
//
// Deprecated: use NewTypedMaxOfRateLimiter.
func NewMaxOfRateLimiter(limiters ...TypedRateLimiter[any]) RateLimiter {
	return NewTypedMaxOfRateLimiter(limiters...)
}

// NewWithMaxWaitRateLimiter is [NewTypedWithMaxWaitRateLimiter] for anything.
//
// Deprecated: use NewTypedWithMaxWaitRateLimiter.
func NewWithMaxWaitRateLimiter(limiter RateLimiter, maxDelay time.Duration) RateLimiter {
	return NewTypedWithMaxWaitRateLimiter(limiter, maxDelay)
}

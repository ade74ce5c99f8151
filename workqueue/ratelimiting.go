package workqueue

import (
	"time"

	"k8s.io/utils/clock"
)

// TypedRateLimitingQueueConfig configures a rate-limiting queue. The zero value works.
type TypedRateLimitingQueueConfig[T comparable] struct {
	// Name is the name in metrics. A queue without a name has no metrics.
	Name string
	// MetricsProvider creates the metrics; nil means the provider of SetProvider.
	MetricsProvider MetricsProvider
	// Clock is for tests with a fake clock; nil means real time.
	Clock clock.WithTicker
	// DelayingQueue is where keys wait out their delay; nil means a new one.
	DelayingQueue TypedDelayingInterface[T]
	// HonestBackoff makes AddRateLimited count a failure only once a back-off window: a key that fails again before
	// the delay of its last failure is over, because something else triggered it, is added when that delay is over,
	// and the rate limiter is not called. It needs a DelayingQueue of this package, or none. By default each call
	// calls the rate limiter, as in client-go.
	HonestBackoff bool
}

// rateLimitingQueue takes the delays of a delaying queue from a rate limiter.
type rateLimitingQueue[T comparable] struct {
	TypedDelayingInterface[T]
	limiter TypedRateLimiter[T]
	// honest is the delaying queue if it is to keep back-off windows, else nil.
	honest *delayingQueue[T]
}

// NewTypedRateLimitingQueue returns a rate-limiting queue without metrics. It panics if the rate limiter is nil. Call
// Forget when an item has succeeded or is given up, or the limiter tracks it for ever.
func NewTypedRateLimitingQueue[T comparable](rateLimiter TypedRateLimiter[T]) TypedRateLimitingInterface[T] {
	return NewTypedRateLimitingQueueWithConfig(rateLimiter, TypedRateLimitingQueueConfig[T]{})
}

// NewTypedRateLimitingQueueWithConfig returns a rate-limiting queue; see [NewTypedRateLimitingQueue].
func NewTypedRateLimitingQueueWithConfig[T comparable](rateLimiter TypedRateLimiter[T], config TypedRateLimitingQueueConfig[T]) TypedRateLimitingInterface[T] {
	if rateLimiter == nil {
		panic("workqueue: a rate-limiting queue needs a rate limiter, but got nil; DefaultTypedControllerRateLimiter is a good one")
	}
	if config.DelayingQueue == nil {
		config.DelayingQueue = newDelayingQueue(TypedDelayingQueueConfig[T]{
			Name:            config.Name,
			MetricsProvider: config.MetricsProvider,
			Clock:           config.Clock,
		})
	}
	q := &rateLimitingQueue[T]{TypedDelayingInterface: config.DelayingQueue, limiter: rateLimiter}
	if config.HonestBackoff {
		own, ok := config.DelayingQueue.(*delayingQueue[T])
		if !ok {
			panic("workqueue: TypedRateLimitingQueueConfig.HonestBackoff needs a DelayingQueue made by this package, or none")
		}
		q.honest = own
	}
	return q
}

func (q *rateLimitingQueue[T]) AddRateLimited(item T) {
	if q.honest != nil {
		q.honest.backOff(item, q.limiter.When)
		return
	}
	q.AddAfter(item, q.limiter.When(item))
}

func (q *rateLimitingQueue[T]) Forget(item T) {
	q.limiter.Forget(item)
	if q.honest != nil {
		q.honest.delayer.forget(item)
	}
}

func (q *rateLimitingQueue[T]) NumRequeues(item T) int { return q.limiter.NumRequeues(item) }

// Cancel takes back a delayed add; see TypedCanceler. It does nothing if the delaying queue is not of this package.
func (q *rateLimitingQueue[T]) Cancel(item T) bool {
	c, ok := q.TypedDelayingInterface.(TypedCanceler[T])
	return ok && c.Cancel(item)
}

// Due returns when a delayed key will be added; see TypedCanceler.
func (q *rateLimitingQueue[T]) Due(item T) (time.Time, bool) {
	if c, ok := q.TypedDelayingInterface.(TypedCanceler[T]); ok {
		return c.Due(item)
	}
	return time.Time{}, false
}

// Snapshot describes the keys of the queue; see TypedInspector.
func (q *rateLimitingQueue[T]) Snapshot(limit int) Snapshot[T] {
	s := inspect[T](q.TypedDelayingInterface, limit)
	s.countRetries(q.limiter)
	return s
}

// Find returns what the queue knows of a key. A key that only the rate limiter knows is found too.
func (q *rateLimitingQueue[T]) Find(item T) (Item[T], bool) {
	it, found := find[T](q.TypedDelayingInterface, item)
	it.Retries = q.limiter.NumRequeues(item)
	return it, found || it.Retries > 0
}

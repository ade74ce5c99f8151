package workqueue

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
	"vedette.dev/internal/keyhash"
	"vedette.dev/workqueue/internal/dueheap"
	"vedette.dev/workqueue/internal/slotmap"
)

// TypedItemBucketRateLimiter delays each item by a token bucket of its own. It counts no failures.
type TypedItemBucketRateLimiter[T comparable] struct {
	limit  rate.Limit
	burst  int
	hasher keyhash.Hasher[T]
	epoch  time.Time

	mu      sync.Mutex
	buckets slotmap.Map[T, *rate.Limiter]
	// forgotten orders the buckets of forgotten items by the time at which they are full again.
	forgotten dueheap.Heap
}

// NewTypedItemBucketRateLimiter returns a limiter that lets each item through limit times a second, with bursts of
// burst.
func NewTypedItemBucketRateLimiter[T comparable](limit rate.Limit, burst int) *TypedItemBucketRateLimiter[T] {
	return &TypedItemBucketRateLimiter[T]{
		limit:  limit,
		burst:  burst,
		hasher: keyhash.New[T]("workqueue: item"),
		epoch:  time.Now(),
	}
}

// When takes a token from the item's bucket and returns the time until it is there.
func (r *TypedItemBucketRateLimiter[T]) When(item T) time.Duration {
	hash := r.hasher.Hash(item)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep()
	slot, e, known := r.buckets.Ensure(hash, item)
	if !known {
		e.Val = rate.NewLimiter(r.limit, r.burst)
	}
	r.forgotten.Remove(slot)
	return e.Val.Reserve().Delay()
}

// NumRequeues always returns zero.
func (r *TypedItemBucketRateLimiter[T]) NumRequeues(T) int { return 0 }

// Forget drops the item's bucket as soon as it is full again: to drop it at once would give the item a new burst for
// each success.
func (r *TypedItemBucketRateLimiter[T]) Forget(item T) {
	hash := r.hasher.Hash(item)
	r.mu.Lock()
	defer r.mu.Unlock()
	if slot, e, ok := r.buckets.Find(hash, item); ok {
		missing := float64(r.burst) - e.Val.Tokens()
		full := time.Duration(max(missing, 0) / float64(r.limit) * float64(time.Second))
		r.forgotten.Set(slot, after(int64(time.Since(r.epoch)), full))
	}
	r.sweep()
}

// sweep drops a few forgotten buckets that are full: more than come in, so that none stay for long.
func (r *TypedItemBucketRateLimiter[T]) sweep() {
	now := int64(time.Since(r.epoch))
	for range 4 {
		slot, full, ok := r.forgotten.Min()
		if !ok || full > now {
			return
		}
		r.forgotten.Remove(slot)
		r.buckets.Remove(slot)
	}
}

package workqueue

import "time"

// TypedInterface is a queue of keys that gives each key to one worker at a time.
//
//   - Add of a key that is ready already changes nothing; Add of a key that is processing makes it run once more after
//     Done.
//   - Get blocks until there is a key, or until the queue is shutting down and empty.
//   - Done must follow each Get, from any goroutine.
type TypedInterface[T comparable] interface {
	// Add marks item as needing work. It is ignored after ShutDown.
	Add(item T)
	// Len returns the number of keys that are ready. Keys that are processing or delayed are not counted.
	Len() int
	// Get returns the next key. If shutdown is true, there is none and there will be none: the worker should end.
	Get() (item T, shutdown bool)
	// Done marks a key that Get returned as processed. For any other key it does nothing.
	Done(item T)
	// ShutDown makes the queue ignore further adds. Get still returns the keys that are ready.
	ShutDown()
	// ShutDownWithDrain is ShutDown, and then waits until no key is processing, or until ShutDown is called.
	ShutDownWithDrain()
	// ShuttingDown reports whether ShutDown or ShutDownWithDrain was called.
	ShuttingDown() bool
}

// TypedDelayingInterface is a queue that can add a key later.
type TypedDelayingInterface[T comparable] interface {
	TypedInterface[T]
	// AddAfter adds item when duration has passed; at once if it is zero or negative. A key that is delayed already
	// keeps the earlier of the two times. Keys that are still delayed at ShutDown are dropped.
	AddAfter(item T, duration time.Duration)
}

// TypedRateLimitingInterface is a delaying queue that takes the delays from a rate limiter.
type TypedRateLimitingInterface[T comparable] interface {
	TypedDelayingInterface[T]
	// AddRateLimited adds item after the delay that the rate limiter returns; each call counts as a failure of the item.
	AddRateLimited(item T)
	// Forget clears what the rate limiter knows of item. It does not change the queue: Done is still necessary.
	Forget(item T)
	// NumRequeues returns the number of failures that the rate limiter has counted for item.
	NumRequeues(item T) int
}

// TypedRateLimiter decides how long an item has to wait.
type TypedRateLimiter[T comparable] interface {
	// When counts a failure of item and returns its delay.
	When(item T) time.Duration
	// Forget ends the tracking of item, whether it succeeded or was given up.
	Forget(item T)
	// NumRequeues returns the number of failures counted for item since it was last forgotten.
	NumRequeues(item T) int
}

// Queue is the order of the keys that are ready, for users who bring their own. Its methods are called one at a time,
// under a lock of the queue: they should be quick and must not call the queue.
type Queue[T comparable] interface {
	// Touch is called when item, which is in the Queue, is added again.
	Touch(item T)
	// Push adds item. It is not called again for an item before Pop has returned it.
	Push(item T)
	// Len returns the number of items.
	Len() int
	// Pop removes and returns the next item. It is called only when Len is not zero.
	Pop() (item T)
}

// TypedInspector is implemented by all queues of this package.
type TypedInspector[T comparable] interface {
	// Snapshot returns which keys are ready, processing and delayed. At most limit keys of each are listed, oldest
	// first (all of them if limit is zero or negative); the counts are always complete. The queue is not stopped: each
	// key is shown as it was at one moment, but not all at the same one.
	Snapshot(limit int) Snapshot[T]
	// Find returns what the queue knows of one key.
	Find(item T) (Item[T], bool)
}

// TypedCanceler is implemented by the delaying queues of this package.
type TypedCanceler[T comparable] interface {
	// Cancel takes back a delayed add and reports whether there was one. A key that is queued already stays queued.
	Cancel(item T) bool
	// Due returns when a delayed key will be added.
	Due(item T) (at time.Time, delayed bool)
}

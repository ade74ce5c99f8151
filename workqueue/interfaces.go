package workqueue

import "time"

// TypedInterface is a queue of keys that hands each key to one worker at a time.
//
//   - Add of a key that waits already changes nothing; Add of a key that a worker holds makes it run once more after
//     Done.
//   - Get blocks until there is a key, or until the queue is shutting down and empty.
//   - Done must follow each Get, from any goroutine.
type TypedInterface[T comparable] interface {
	// Add asks for item to be worked on. It is ignored after ShutDown.
	Add(item T)
	// Len is the number of keys that wait for a worker: those being worked on and those delayed are not among them.
	Len() int
	// Get takes the next key. Shutdown is true when there is none and there will be none: the worker should end.
	Get() (item T, shutdown bool)
	// Done gives back a key that Get handed out. For any other key it does nothing.
	Done(item T)
	// ShutDown refuses further keys. Those that wait are still handed out.
	ShutDown()
	// ShutDownWithDrain is ShutDown, and then waits until no worker holds a key, or until ShutDown is called.
	ShutDownWithDrain()
	// ShuttingDown tells whether ShutDown or ShutDownWithDrain was called.
	ShuttingDown() bool
}

// TypedDelayingInterface is a queue that can take a key later.
type TypedDelayingInterface[T comparable] interface {
	TypedInterface[T]
	// AddAfter adds item when duration has passed; at once if it is zero or negative. A key that is delayed already
	// keeps the earlier of the two times. Keys that are still delayed at ShutDown are dropped.
	AddAfter(item T, duration time.Duration)
}

// TypedRateLimitingInterface is a delaying queue that takes the delays from a rate limiter.
type TypedRateLimitingInterface[T comparable] interface {
	TypedDelayingInterface[T]
	// AddRateLimited adds item when the rate limiter says so; each call counts as a failure of the item.
	AddRateLimited(item T)
	// Forget clears what the rate limiter knows of item. It leaves the queue as it is: Done is still due.
	Forget(item T)
	// NumRequeues is the number of failures that the rate limiter has counted for item.
	NumRequeues(item T) int
}

// TypedRateLimiter says how long a key has to wait.
type TypedRateLimiter[T comparable] interface {
	// When counts a failure of item and returns its delay.
	When(item T) time.Duration
	// Forget ends the tracking of item, whether it succeeded or was given up.
	Forget(item T)
	// NumRequeues is the number of failures counted for item since it was last forgotten.
	NumRequeues(item T) int
}

// Queue is the order of the keys that wait for a worker, for those who bring their own. All calls are made one at a
// time, under a lock of the queue: they should be quick and must not call the queue.
type Queue[T comparable] interface {
	// Touch is told that item, which waits already, was added again.
	Touch(item T)
	// Push takes item in. It is not called again for an item before Pop has returned it.
	Push(item T)
	// Len is the number of items.
	Len() int
	// Pop takes out the next item. It is called only when Len is not zero.
	Pop() (item T)
}

// TypedInspector is offered by all queues of this package, to those who want to know what is in them.
type TypedInspector[T comparable] interface {
	// Snapshot tells which keys are queued, being worked on and delayed. At most limit keys of each are listed, oldest
	// first (all of them if limit is zero or negative); the counts are always complete. The queue goes on meanwhile:
	// each key is shown as it was at one moment, but not all at the same one.
	Snapshot(limit int) Snapshot[T]
	// Find tells what the queue knows of one key.
	Find(item T) (Item[T], bool)
}

// TypedCanceler is offered by the delaying queues of this package.
type TypedCanceler[T comparable] interface {
	// Cancel takes back a delayed add and tells whether there was one. A key that is queued already stays queued.
	Cancel(item T) bool
	// Due tells when a delayed key will be added.
	Due(item T) (at time.Time, delayed bool)
}

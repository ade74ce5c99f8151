package ctrl

import (
	"time"

	clientgoworkqueue "k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// watchedQueue is a queue that tells a tracker what a controller does.
type watchedQueue[T comparable] struct {
	clientgoworkqueue.TypedRateLimitingInterface[T]
	tracker *tracker[T]
}

func (q *watchedQueue[T]) Get() (T, bool) {
	item, shutdown := q.TypedRateLimitingInterface.Get()
	if !shutdown {
		q.tracker.began(item)
	}
	return item, shutdown
}

func (q *watchedQueue[T]) AddRateLimited(item T) {
	q.tracker.saw(item, failedOrRequeued)
	q.TypedRateLimitingInterface.AddRateLimited(item)
}

func (q *watchedQueue[T]) AddAfter(item T, after time.Duration) {
	q.tracker.saw(item, requeuedAfter)
	q.TypedRateLimitingInterface.AddAfter(item, after)
}

func (q *watchedQueue[T]) Forget(item T) {
	q.tracker.saw(item, succeeded)
	q.TypedRateLimitingInterface.Forget(item)
}

func (q *watchedQueue[T]) Done(item T) {
	q.tracker.done(item)
	q.TypedRateLimitingInterface.Done(item)
}

// watchedPriorityQueue is a watchedQueue with priorities.
type watchedPriorityQueue[T comparable] struct {
	watchedQueue[T]
	queue priorityqueue.PriorityQueue[T]
}

var _ priorityqueue.PriorityQueue[string] = (*watchedPriorityQueue[string])(nil)

// AddWithOpts implements priorityqueue.PriorityQueue.
func (q *watchedPriorityQueue[T]) AddWithOpts(o priorityqueue.AddOpts, items ...T) {
	for _, item := range items {
		switch {
		case o.RateLimited:
			q.tracker.saw(item, failedOrRequeued)
		case o.After > 0:
			q.tracker.saw(item, requeuedAfter)
		}
	}
	q.queue.AddWithOpts(o, items...)
}

// GetWithPriority implements priorityqueue.PriorityQueue.
func (q *watchedPriorityQueue[T]) GetWithPriority() (T, int, bool) {
	item, priority, shutdown := q.queue.GetWithPriority()
	if !shutdown {
		q.tracker.began(item)
	}
	return item, priority, shutdown
}

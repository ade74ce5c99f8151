package ctrl

import (
	"time"

	clientgoworkqueue "k8s.io/client-go/util/workqueue"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"vedette.dev/workqueue"
)

// QueueFor returns a function for controller.Options.NewQueue that makes the queues of a manager: NewQueue or, if the manager says
// UsePriorityQueue: false for its controllers, NewPlainQueue. If its cache is of this package, the page of MountConsole and
// ServeConsole shows the controllers with these queues, and "vedette explain" finds their keys.
//
//	controller.Options{NewQueue: bridgectrl.QueueFor[reconcile.Request](mgr)}
func QueueFor[T comparable](mgr interface {
	GetCache() ctrlcache.Cache
	GetControllerOptions() ctrlconfig.Controller
}) func(name string, limiter clientgoworkqueue.TypedRateLimiter[T]) clientgoworkqueue.TypedRateLimitingInterface[T] {
	cache, _ := mgr.GetCache().(*Cache)
	use := mgr.GetControllerOptions().UsePriorityQueue
	return func(name string, limiter clientgoworkqueue.TypedRateLimiter[T]) clientgoworkqueue.TypedRateLimitingInterface[T] {
		newQueue := NewQueue[T]
		if use != nil && !*use {
			newQueue = NewPlainQueue[T]
		}
		queue := newQueue(name, limiter)
		if cache == nil {
			return queue
		}
		return watch(cache, name, queue)
	}
}

// NewQueue returns Vedette's fair queue as a priorityqueue.PriorityQueue. It is for controller.Options.NewQueue:
//
//	controller.Options{NewQueue: bridgectrl.NewQueue[reconcile.Request]}
//
// Higher priorities go first, but every priority gets its turn. The metrics workqueue_* are those of controller-runtime.
func NewQueue[T comparable](name string, limiter clientgoworkqueue.TypedRateLimiter[T]) clientgoworkqueue.TypedRateLimitingInterface[T] {
	config := workqueue.FairConfig[T]{Name: name, MetricsProvider: priorityProvider{queueMetrics()}}
	if limiter != nil {
		config.RateLimiter = limiter
	}
	queue, err := workqueue.NewFair(config)
	if err != nil {
		panic(err) // nothing in the configuration can be wrong
	}
	return fairQueue[T]{queue}
}

// NewPlainQueue returns a queue without priorities, for controllers that set UsePriorityQueue to false.
func NewPlainQueue[T comparable](name string, limiter clientgoworkqueue.TypedRateLimiter[T]) clientgoworkqueue.TypedRateLimitingInterface[T] {
	if limiter == nil {
		limiter = clientgoworkqueue.DefaultTypedControllerRateLimiter[T]()
	}
	return workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[T]{
		Name: name, MetricsProvider: queueMetrics(),
	})
}

// fairQueue is a Fair queue with controller-runtime's type of options.
type fairQueue[T comparable] struct{ *workqueue.Fair[T] }

var _ priorityqueue.PriorityQueue[string] = fairQueue[string]{}

// AddWithOpts implements priorityqueue.PriorityQueue.
func (q fairQueue[T]) AddWithOpts(o priorityqueue.AddOpts, items ...T) {
	q.Fair.AddWithOpts(workqueue.AddOpts{After: o.After, RateLimited: o.RateLimited, Priority: o.Priority}, items...)
}

// AddAfter adds an item at once if there is no delay. Package workqueue counts that as a retry, as client-go does; controller-runtime's
// priority queue does not.
func (q fairQueue[T]) AddAfter(item T, after time.Duration) {
	if after <= 0 {
		q.Add(item)
		return
	}
	q.Fair.AddAfter(item, after)
}

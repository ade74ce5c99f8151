package workqueue

import (
	"fmt"
	"math"
	"time"

	"k8s.io/utils/clock"
)

// FairConfig configures a [Fair] queue. The zero value works: one tenant, one priority.
type FairConfig[T comparable] struct {
	// Name is the name in metrics. A queue without a name has no metrics.
	Name string
	// MetricsProvider creates the metrics; nil means the provider of SetProvider.
	MetricsProvider MetricsProvider
	// Clock is for tests with a fake clock; nil means real time.
	Clock clock.WithTicker
	// RateLimiter returns the delays of AddRateLimited; nil means a back-off for each item from 5 ms to 1000 s. A limit
	// for all items together, as in DefaultTypedControllerRateLimiter, would let one tenant use up what is meant for all.
	RateLimiter TypedRateLimiter[T]
	// Tenant names the tenant of an item, for example its namespace; nil means that all belong to one. It should be
	// quick, always return the same for an item, and must not call the queue, whose lock is held.
	Tenant func(item T) string
	// Priority is the priority of items that are added without one; nil means zero. Higher goes first. It is
	// limited to the range of an int32.
	Priority func(item T) int
	// MaxSkips is the number of turns for which a priority that has items may be skipped, however many items of a
	// higher priority wait; zero means 16, which leaves each priority 6 % of the turns. All such turns together are
	// never more than half.
	MaxSkips int
}

const defaultMaxSkips = 16

func (c *FairConfig[T]) validate() error {
	if c.MaxSkips < 0 {
		return fmt.Errorf("workqueue: FairConfig.MaxSkips is %d; it must not be negative", c.MaxSkips)
	}
	return nil
}

// Fair is a rate-limiting queue with priorities and tenants.
//
//   - Higher priorities go first, but none is skipped for ever (FairConfig.MaxSkips).
//   - Among items of one priority, tenants take turns, however long their backlogs. A tenant that occupies more
//     than its share of the workers, because its work is slow, waits until the others have had theirs.
//   - Within a tenant and priority it is first in, first out.
//   - There is one entry for each key: an Add makes a delayed key ready at once, an AddAfter of a queued key changes
//     nothing, and of two priorities the higher wins.
//   - Failures are counted once a back-off window: an item that is triggered inside the window, and fails again,
//     is added when the window ends, and its count stays.
//
// It implements [TypedRateLimitingInterface].
type Fair[T comparable] struct {
	queue    *Typed[T]
	delayer  *delayer[T]
	limiter  TypedRateLimiter[T]
	retries  *retryMetric
	tenant   func(T) string
	priority func(T) int // nil means that all have the same
}

// AddOpts are the options of AddWithOpts.
type AddOpts struct {
	// After delays the items, if positive.
	After time.Duration
	// RateLimited delays the items by what the rate limiter returns. With After too, the shorter delay counts.
	RateLimited bool
	// Priority of the items; nil means the result of FairConfig.Priority.
	Priority *int
}

// NewFair returns a fair queue, or an error that names the field of the config that is wrong.
func NewFair[T comparable](config FairConfig[T]) (*Fair[T], error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	if config.RateLimiter == nil {
		config.RateLimiter = NewTypedItemExponentialFailureRateLimiter[T](5*time.Millisecond, 1000*time.Second)
	}
	if config.Tenant == nil {
		config.Tenant = func(T) string { return "" }
	}
	if config.MaxSkips == 0 {
		config.MaxSkips = defaultMaxSkips
	}
	q := &Fair[T]{
		limiter:  config.RateLimiter,
		retries:  newRetryMetric(config.Name, config.MetricsProvider),
		tenant:   config.Tenant,
		priority: config.Priority,
	}
	base := TypedQueueConfig[T]{Name: config.Name, MetricsProvider: config.MetricsProvider, Clock: config.Clock}
	q.queue = newTyped(base, newFairReady(config.Tenant, config.MaxSkips))
	q.delayer = newDelayer(q.queue.hasher, q.queue.clock, q.queue.addAll)
	return q, nil
}

// Add marks item as needing work now, even if it is delayed.
func (q *Fair[T]) Add(item T) { q.addNow(item, q.priorityOf(item, nil)) }

// AddAfter adds item when duration has passed.
func (q *Fair[T]) AddAfter(item T, duration time.Duration) {
	q.retried()
	q.addAfter(item, duration, q.priorityOf(item, nil))
}

// AddRateLimited adds an item that failed when its back-off is over.
func (q *Fair[T]) AddRateLimited(item T) {
	q.retried()
	q.backOff(item, q.priorityOf(item, nil))
}

// AddWithOpts adds items with a delay, a back-off, a priority, or all of them.
func (q *Fair[T]) AddWithOpts(o AddOpts, items ...T) {
	for _, item := range items {
		priority := q.priorityOf(item, o.Priority)
		if o.RateLimited || o.After > 0 {
			q.retried()
		}
		if o.RateLimited {
			q.backOff(item, priority)
		}
		if o.After > 0 || !o.RateLimited {
			q.addAfter(item, o.After, priority)
		}
	}
}

func (q *Fair[T]) priorityOf(item T, given *int) int32 {
	p := 0
	switch {
	case given != nil:
		p = *given
	case q.priority != nil:
		p = q.priority(item)
	}
	return int32(min(max(p, math.MinInt32), math.MaxInt32))
}

func (q *Fair[T]) addNow(item T, priority int32) {
	if p, was := q.delayer.cancel(item); was {
		priority = max(priority, p)
	}
	q.queue.add(item, priority)
}

func (q *Fair[T]) addAfter(item T, duration time.Duration, priority int32) {
	switch {
	case q.ShuttingDown():
	case duration <= 0:
		q.addNow(item, priority)
	case q.queue.raise(item, priority): // it is queued, which is earlier
	default:
		q.delayer.add(item, duration, priority)
	}
}

func (q *Fair[T]) backOff(item T, priority int32) {
	if q.ShuttingDown() {
		return
	}
	queued := q.queue.raise(item, priority)
	q.delayer.backOff(failure[T]{item: item, priority: priority, queued: queued}, q.limiter.When)
}

func (q *Fair[T]) retried() {
	if q.retries != nil && !q.ShuttingDown() {
		q.retries.retried()
	}
}

// Get takes the next key; see [TypedInterface].
func (q *Fair[T]) Get() (item T, shutdown bool) {
	item, _, shutdown = q.GetWithPriority()
	return item, shutdown
}

// GetWithPriority is Get, and also returns the priority that the item was queued with.
func (q *Fair[T]) GetWithPriority() (item T, priority int, shutdown bool) {
	return q.queue.get()
}

// Done marks a key that Get returned as processed.
func (q *Fair[T]) Done(item T) { q.queue.Done(item) }

// Len returns the number of keys that are ready.
func (q *Fair[T]) Len() int { return q.queue.Len() }

// ShutDown makes the queue ignore further adds and drops the delayed keys. Get still returns those that are ready.
func (q *Fair[T]) ShutDown() {
	q.queue.ShutDown()
	q.delayer.close()
	q.retries.close()
}

// ShutDownWithDrain is ShutDown, and then waits until no key is processing, or until ShutDown is called.
func (q *Fair[T]) ShutDownWithDrain() {
	q.delayer.close()
	q.queue.ShutDownWithDrain()
	q.retries.close()
}

// ShuttingDown reports whether ShutDown or ShutDownWithDrain was called.
func (q *Fair[T]) ShuttingDown() bool { return q.queue.ShuttingDown() }

// Forget clears the failures of an item and ends its back-off window. A delayed add stays.
func (q *Fair[T]) Forget(item T) {
	q.limiter.Forget(item)
	q.delayer.forget(item)
}

// NumRequeues returns the number of failures that the rate limiter has counted for item.
func (q *Fair[T]) NumRequeues(item T) int { return q.limiter.NumRequeues(item) }

// Cancel takes back a delayed add; see [TypedCanceler].
func (q *Fair[T]) Cancel(item T) bool {
	_, was := q.delayer.cancel(item)
	return was
}

// Due returns when a delayed key will be added; see [TypedCanceler].
func (q *Fair[T]) Due(item T) (at time.Time, delayed bool) { return q.delayer.due(item) }

// Snapshot describes the keys of the queue; see [TypedInspector].
func (q *Fair[T]) Snapshot(limit int) Snapshot[T] {
	s := q.queue.Snapshot(limit)
	q.delayer.list(&s, limit)
	s.countRetries(q.limiter)
	for _, list := range s.lists() {
		for i := range list {
			list[i].Tenant = q.tenant(list[i].Key)
		}
	}
	return s
}

// Find returns what the queue knows of a key. A key that only the rate limiter knows is found too.
func (q *Fair[T]) Find(item T) (Item[T], bool) {
	it, found := q.queue.Find(item)
	delayed := q.delayer.describe(&it)
	it.Retries, it.Tenant = q.limiter.NumRequeues(item), q.tenant(item)
	return it, found || delayed || it.Retries > 0
}

package workqueue

import (
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"
	"vedette.dev/internal/slotmap"
)

// TypedDelayingQueueConfig configures a delaying queue. The zero value works.
type TypedDelayingQueueConfig[T comparable] struct {
	// Logger is accepted so that programs written for client-go compile. Nothing is logged: the queue has no
	// goroutine of its own in which something could go wrong unseen.
	Logger *logr.Logger
	// Name is the name in metrics. A queue without a name has no metrics.
	Name string
	// MetricsProvider makes the metrics; nil means the one of SetProvider.
	MetricsProvider MetricsProvider
	// Clock is for tests that bring a clock of their own; nil means real time.
	Clock clock.WithTicker
	// Queue is where keys go when they are due; nil means a new Typed queue. A queue given here must not shut the
	// delaying queue down from inside its Add.
	Queue TypedInterface[T]
}

// delayingQueue puts a delayer in front of a queue.
type delayingQueue[T comparable] struct {
	TypedInterface[T]
	delayer *delayer[T]
	retries *retryMetric
}

// NewTypedDelayingQueue returns a delaying queue without metrics.
func NewTypedDelayingQueue[T comparable]() TypedDelayingInterface[T] {
	return NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[T]{})
}

// NewTypedDelayingQueueWithConfig returns a delaying queue.
func NewTypedDelayingQueueWithConfig[T comparable](config TypedDelayingQueueConfig[T]) TypedDelayingInterface[T] {
	return newDelayingQueue(config, new(briefLock))
}

func newDelayingQueue[T comparable](config TypedDelayingQueueConfig[T], mu *briefLock) *delayingQueue[T] {
	if config.Queue == nil {
		config.Queue = newTyped(TypedQueueConfig[T]{
			Name:            config.Name,
			MetricsProvider: config.MetricsProvider,
			Clock:           config.Clock,
		}, new(fifoLine[T]), mu)
	}
	q := &delayingQueue[T]{
		TypedInterface: config.Queue,
		retries:        newRetryMetric(config.Name, config.MetricsProvider),
	}
	if own, ok := config.Queue.(*Typed[T]); ok {
		q.delayer = newDelayerOf(own, newTimekeeper(config.Clock))
	} else {
		hasher := slotmap.NewHasher[T]("workqueue: item")
		q.delayer = newDelayer(hasher, newTimekeeper(config.Clock), q.addEach)
	}
	return q
}

func (q *delayingQueue[T]) addEach(due []delivery[T]) {
	for _, d := range due {
		q.Add(d.item)
	}
}

func (q *delayingQueue[T]) AddAfter(item T, duration time.Duration) {
	if q.ShuttingDown() {
		return
	}
	q.retries.retried()
	if duration <= 0 {
		q.Add(item)
		return
	}
	q.delayer.add(item, duration, 0)
}

// backOff is AddAfter with the delay of a rate limiter, but for failures inside a back-off window.
func (q *delayingQueue[T]) backOff(item T, when func(T) time.Duration) {
	if q.ShuttingDown() {
		return
	}
	q.retries.retried()
	q.delayer.backOff(failure[T]{item: item}, when)
}

func (q *delayingQueue[T]) Get() (item T, shutdown bool) {
	if q.delayer.below == nil { // else the queue looks when it has to
		q.delayer.look(0)
	}
	return q.TypedInterface.Get()
}

func (q *delayingQueue[T]) Len() int {
	q.delayer.look(0)
	return q.TypedInterface.Len()
}

func (q *delayingQueue[T]) ShutDown() {
	q.TypedInterface.ShutDown()
	q.delayer.close()
	q.retries.close()
}

func (q *delayingQueue[T]) ShutDownWithDrain() {
	q.delayer.close()
	q.TypedInterface.ShutDownWithDrain()
	q.retries.close()
}

// Cancel takes back a delayed add; see TypedCanceler.
func (q *delayingQueue[T]) Cancel(item T) bool {
	_, was := q.delayer.cancel(item)
	return was
}

// Due tells when a delayed key will be added; see TypedCanceler.
func (q *delayingQueue[T]) Due(item T) (at time.Time, delayed bool) { return q.delayer.dueTime(item) }

// Snapshot tells what is in the queue; see TypedInspector. Where the queue below is not of this package, it lists only
// the delayed keys.
func (q *delayingQueue[T]) Snapshot(limit int) Snapshot[T] {
	s := inspect(q.TypedInterface, limit)
	s.At = q.delayer.clock.time(q.delayer.clock.now())
	q.delayer.list(&s, limit)
	return s
}

// Find tells what the queue knows of a key.
func (q *delayingQueue[T]) Find(item T) (Item[T], bool) {
	it, found := find(q.TypedInterface, item)
	return it, q.delayer.describe(&it) || found
}

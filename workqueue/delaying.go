package workqueue

import (
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"
	"vedette.dev/internal/keyhash"
)

// TypedDelayingQueueConfig configures a delaying queue. The zero value works.
type TypedDelayingQueueConfig[T comparable] struct {
	// Logger is accepted so that programs written for client-go compile. Nothing is logged: the queue has no
	// goroutine of its own in which something could go wrong unseen.
	Logger *logr.Logger
	// Name is the name in metrics. A queue without a name has no metrics.
	Name string
	// MetricsProvider creates the metrics; nil means the provider of SetProvider.
	MetricsProvider MetricsProvider
	// Clock is for tests with a fake clock; nil means real time.
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
	return newDelayingQueue(config)
}

func newDelayingQueue[T comparable](config TypedDelayingQueueConfig[T]) *delayingQueue[T] {
	if config.Queue == nil {
		config.Queue = NewTypedWithConfig(TypedQueueConfig[T]{
			Name:            config.Name,
			MetricsProvider: config.MetricsProvider,
			Clock:           config.Clock,
		})
	}
	q := &delayingQueue[T]{
		TypedInterface: config.Queue,
		retries:        newRetryMetric(config.Name, config.MetricsProvider),
	}
	hasher, deliver := keyhash.New[T]("workqueue: item"), q.addEach
	if own, ok := config.Queue.(*Typed[T]); ok {
		hasher, deliver = own.hasher, own.addAll
	}
	q.delayer = newDelayer(hasher, newQueueClock(config.Clock), deliver)
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

// Due returns when a delayed key will be added; see TypedCanceler.
func (q *delayingQueue[T]) Due(item T) (at time.Time, delayed bool) { return q.delayer.due(item) }

// Snapshot describes the keys of the queue; see TypedInspector. If the queue below is not of this package, it lists only
// the delayed keys.
func (q *delayingQueue[T]) Snapshot(limit int) Snapshot[T] {
	s := inspect(q.TypedInterface, limit)
	s.At = q.delayer.clock.time(q.delayer.clock.now())
	q.delayer.list(&s, limit)
	return s
}

// Find returns what the queue knows of a key.
func (q *delayingQueue[T]) Find(item T) (Item[T], bool) {
	it, found := find(q.TypedInterface, item)
	return it, q.delayer.describe(&it) || found
}

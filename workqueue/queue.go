package workqueue

import (
	"sync"
	"sync/atomic"

	"k8s.io/utils/clock"
	"vedette.dev/internal/keyhash"
)

// TypedQueueConfig configures a [Typed] queue. The zero value works.
type TypedQueueConfig[T comparable] struct {
	// Name is the name in metrics. A queue without a name has no metrics.
	Name string
	// MetricsProvider creates the metrics; nil means the provider of SetProvider.
	MetricsProvider MetricsProvider
	// Clock is for tests with a fake clock; nil means real time, which inside a synctest bubble is the bubble's.
	Clock clock.WithTicker
	// Queue orders the keys that are ready; nil means first in, first out.
	Queue Queue[T]
}

// Typed is the work queue: a ready queue, and for each key whether it is dirty (it was added and not taken since) and
// whether it is processing (a worker has taken it).
//
//	Add ──▶ dirty ──▶ ready queue ──Get──▶ processing ──Done──▶ gone
//	          ▲                                │
//	          └──── Add meanwhile ◀────────────┘   (back into the ready queue at Done)
//
// Hashes are computed before the lock is taken, so that it is held for some tens of nanoseconds at a time.
type Typed[T comparable] struct {
	hasher  keyhash.Hasher[T]
	clock   queueClock
	refresh timer // updates the metrics of unfinished work
	closing atomic.Bool

	mu      mutex
	metrics *queueMetrics // nil if there are none, and from the end of ShutDown on
	keys    keyTable[T]
	ready   readyQueue[T]
	// Invariant: draining implies closed.
	closed, draining bool
	work             sync.Cond // there is a key, or the queue is closed
	drained          sync.Cond // no key is processing, or the drain was ended by ShutDown
	// asleep counts the workers in work.Wait. waking: one of them was signalled and has not run yet.
	// Invariant: if keys are ready and workers are asleep, waking is set.
	asleep int
	waking bool
}

// NewTyped returns a queue without metrics.
func NewTyped[T comparable]() *Typed[T] { return NewTypedWithConfig(TypedQueueConfig[T]{}) }

// NewTypedWithConfig returns a queue.
func NewTypedWithConfig[T comparable](config TypedQueueConfig[T]) *Typed[T] {
	if config.Queue != nil {
		return newTyped(config, storeReady[T]{config.Queue})
	}
	return newTyped(config, new(fifoReady[T]))
}

func newTyped[T comparable](config TypedQueueConfig[T], ready readyQueue[T]) *Typed[T] {
	q := &Typed[T]{
		hasher:  keyhash.New[T]("workqueue: item"),
		clock:   newQueueClock(config.Clock),
		mu:      newMutex(),
		metrics: newQueueMetrics(config.Name, config.MetricsProvider),
		keys:    newKeyTable[T](),
		ready:   ready,
	}
	q.work.L, q.drained.L = &q.mu, &q.mu
	q.refresh = timer{clock: &q.clock, fire: q.measureUnfinishedWork}
	if q.metrics != nil {
		q.refresh.set(unfinishedWorkPeriod)
	}
	return q
}

// Add marks item as needing work.
func (q *Typed[T]) Add(item T) { q.add(item, 0) }

func (q *Typed[T]) add(item T, priority int32) {
	hash := q.hasher.Hash(item)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.addLocked(hash, item, priority)
}

// addAll adds keys whose delay is over. Their hashes are of this queue's hasher.
func (q *Typed[T]) addAll(due []delivery[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range due {
		q.addLocked(due[i].hash, due[i].item, due[i].priority)
	}
}

func (q *Typed[T]) addLocked(hash uint64, item T, priority int32) {
	if q.closed {
		return
	}
	slot, e, known := q.keys.Ensure(hash, item)
	if e.Val.dirty {
		q.touch(slot, e, priority)
		return
	}
	e.Val.dirtyAt, e.Val.priority = q.clock.now(), priority
	if !known {
		q.pushNew(slot, e)
	}
	e.Val.dirty = true
	q.metrics.added(priority)
}

// pushNew pushes a key that was not known before. If that panics, which the user's Queue or Tenant function may do, the
// key is not known afterwards either.
func (q *Typed[T]) pushNew(slot uint32, e *keyEntry[T]) {
	pushed := false
	defer func() {
		if !pushed {
			q.keys.Remove(slot)
		}
	}()
	q.push(slot, e)
	pushed = true
}

// raise raises the priority of a key that is dirty, and reports whether it is.
func (q *Typed[T]) raise(item T, priority int32) bool {
	hash := q.hasher.Hash(item)
	q.mu.Lock()
	defer q.mu.Unlock()
	slot, e, known := q.keys.Find(hash, item)
	if !known || !e.Val.dirty {
		return false
	}
	q.touch(slot, e, priority)
	return true
}

// touch handles an add of a key that is dirty already.
func (q *Typed[T]) touch(slot uint32, e *keyEntry[T], priority int32) {
	if priority > e.Val.priority {
		q.metrics.raised(e.Val.priority, priority)
	}
	if e.Val.processing {
		e.Val.priority = max(e.Val.priority, priority)
	} else {
		q.ready.touch(slot, e, priority)
	}
}

// push puts a key into the ready queue and makes sure that a worker takes it.
func (q *Typed[T]) push(slot uint32, e *keyEntry[T]) {
	q.ready.push(slot, e)
	q.wake()
}

// wake signals a sleeping worker, unless one was signalled that has not run yet: that one takes a key and then calls
// wake itself. With a signal for each key, a busy queue spends most of its time waking workers that find nothing.
func (q *Typed[T]) wake() {
	if q.asleep > 0 && !q.waking && q.ready.len() > 0 {
		q.waking = true
		q.work.Signal()
	}
}

// Get takes the next key; see [TypedInterface].
func (q *Typed[T]) Get() (item T, shutdown bool) {
	item, _, shutdown = q.get()
	return item, shutdown
}

func (q *Typed[T]) get() (item T, priority int, shutdown bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for q.ready.len() == 0 {
			if q.closed {
				return item, 0, true
			}
			q.sleep()
		}
		slot, e := q.next()
		q.wake()
		if e.Val.processing {
			continue // the user's Queue returned a key that a worker has; it comes back at Done
		}
		now := q.clock.now()
		q.keys.acquire(slot, &e.Val, now)
		q.metrics.taken(e.Val.priority, now-e.Val.dirtyAt)
		return e.Key, int(e.Val.priority), false
	}
}

func (q *Typed[T]) sleep() {
	q.asleep++
	q.work.Wait()
	q.asleep--
	q.waking = false
}

// next takes a key out of the ready queue. The user's Queue may return an item that was never pushed; it is handed out
// too.
func (q *Typed[T]) next() (slot uint32, e *keyEntry[T]) {
	slot, item := q.ready.pop()
	if slot != noSlot {
		return slot, q.keys.At(slot)
	}
	slot, e, known := q.keys.Ensure(q.hasher.Hash(item), item)
	if !known {
		e.Val.dirtyAt = q.clock.now()
	}
	return slot, e
}

// Done marks a key that Get returned as processed.
func (q *Typed[T]) Done(item T) {
	hash := q.hasher.Hash(item)
	q.mu.Lock()
	defer q.mu.Unlock()
	slot, e, known := q.keys.Find(hash, item)
	if !known || !e.Val.processing {
		return
	}
	place, tenant, again := e.Val.place, e.Val.tenant, e.Val.dirty
	if again {
		q.push(slot, e) // first: if it panics, the key is still processing
	}
	if q.metrics != nil {
		q.metrics.done(q.clock.now() - e.Val.takenAt)
	}
	q.keys.release(&e.Val, place)
	q.ready.done(tenant)
	if !again {
		q.keys.Remove(slot)
	}
	if q.draining && len(q.keys.busy) == 0 {
		q.drained.Broadcast()
	}
}

// Len returns the number of keys that are ready.
func (q *Typed[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ready.len()
}

// ShutDown makes the queue ignore further adds. Get still returns the keys that are ready, and then ends the workers.
func (q *Typed[T]) ShutDown() {
	q.shutDown(false)
	q.endMetrics()
}

// ShutDownWithDrain is ShutDown, and then waits until no key is processing, or until ShutDown is called.
func (q *Typed[T]) ShutDownWithDrain() {
	q.shutDown(true)
	q.mu.Lock()
	for len(q.keys.busy) != 0 && q.draining {
		q.drained.Wait()
	}
	q.mu.Unlock()
	q.endMetrics()
}

// endMetrics ends the metrics, once. From then on the queue measures nothing.
func (q *Typed[T]) endMetrics() {
	q.mu.Lock()
	ended := q.metrics
	q.metrics = nil
	q.mu.Unlock()
	ended.close()
}

// shutDown returns when no timer of the queue is set and no goroutine of it runs.
func (q *Typed[T]) shutDown(drain bool) {
	q.closing.Store(true)
	q.mu.Lock()
	q.closed, q.draining = true, drain
	q.refresh.stop()
	q.waking = false
	q.work.Broadcast()
	q.drained.Broadcast()
	q.mu.Unlock()
	q.refresh.wait()
}

// ShuttingDown reports whether ShutDown or ShutDownWithDrain was called.
func (q *Typed[T]) ShuttingDown() bool { return q.closing.Load() }

// measureUnfinishedWork updates the two metrics that change while nothing happens.
func (q *Typed[T]) measureUnfinishedWork() {
	now := q.clock.now()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	var total, longest int64
	for _, slot := range q.keys.busy {
		age := now - q.keys.At(slot).Val.takenAt
		total, longest = total+age, max(longest, age)
	}
	q.metrics.unfinishedWork.Set(seconds(total))
	q.metrics.longestRunning.Set(seconds(longest))
	q.refresh.set(unfinishedWorkPeriod)
}

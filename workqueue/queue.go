package workqueue

import (
	"runtime"
	"sync"
	"sync/atomic"

	"k8s.io/utils/clock"
	"vedette.dev/internal/slotmap"
)

// TypedQueueConfig configures a Typed queue. The zero value works.
type TypedQueueConfig[T comparable] struct {
	// Name is the name in metrics. A queue without a name has no metrics.
	Name string
	// MetricsProvider makes the metrics; nil means the one of SetProvider.
	MetricsProvider MetricsProvider
	// Clock is for tests that bring a clock of their own; nil means real time, which inside a synctest bubble is the
	// bubble's.
	Clock clock.WithTicker
	// Queue orders the keys that wait; nil means first in, first out.
	Queue Queue[T]
}

// Typed is the work queue: a line of keys that wait, and for each key whether it is dirty (somebody asked for it) and
// whether it is processing (a worker holds it).
//
//	Add ──▶ dirty ──▶ line ──Get──▶ processing ──Done──▶ gone
//	          ▲                         │
//	          └──── Add meanwhile ◀─────┘   (back into the line at Done)
//
// Hashes are computed before the lock is taken, so that it is held for some tens of nanoseconds at a time.
type Typed[T comparable] struct {
	hasher  slotmap.Hasher[T]
	clock   timekeeper
	metrics *queueMetrics // changes under mu, to nil, when they have ended
	refresh alarm         // brings the metrics of unfinished work up to date
	mover   alarm         // moves the hand
	closing atomic.Bool

	mu   *briefLock
	keys keyTable[T]
	line line[T]
	long bool // as told to mu
	// taken counts the keys that workers have taken since a producer waited for them last.
	taken int
	hand  hand
	// Invariant: draining implies closed.
	closed, draining bool
	work             sync.Cond // there is a key, or the queue is closed
	drained          sync.Cond // no key is processing, or nobody should wait for that any more
	// refill adds keys that have been due for late or longer, if the queue has a delayer, and tells whether there were any.
	refill func(late int64) bool
	gets   uint32 // counted for getsToLook
	// asleep counts the workers in work.Wait; waking those of them that were signalled and have not run yet.
	// Invariant: if keys wait and workers are asleep, at least one of them is waking.
	asleep, waking, maxWaking int
}

// longLine is the length from which on more keys would only fall out of the cache, so that producers had better let
// workers catch up.
const longLine = 2048

// takenToWait is how many keys workers must have taken before a producer waits for them: where they are slow, to wait
// for them is of no use.
const takenToWait = 32

// getsToLook is how many keys workers take before one of them looks for such as have become due.
const getsToLook = 16

// NewTyped returns a queue without metrics.
func NewTyped[T comparable]() *Typed[T] { return NewTypedWithConfig(TypedQueueConfig[T]{}) }

// NewTypedWithConfig returns a queue.
func NewTypedWithConfig[T comparable](config TypedQueueConfig[T]) *Typed[T] {
	if config.Queue != nil {
		return newTyped(config, storeLine[T]{config.Queue}, new(briefLock))
	}
	return newTyped(config, new(fifoLine[T]), new(briefLock))
}

func newTyped[T comparable](config TypedQueueConfig[T], l line[T], mu *briefLock) *Typed[T] {
	q := &Typed[T]{
		hasher:  slotmap.NewHasher[T]("workqueue: item"),
		clock:   newTimekeeper(config.Clock),
		metrics: newQueueMetrics(config.Name, config.MetricsProvider),
		mu:      mu,
		keys:    newKeyTable[T](),
		line:    l,
		// As many as can run at once: each of them wakes the next when it has taken a key and more are there.
		maxWaking: runtime.GOMAXPROCS(0),
	}
	q.work.L, q.drained.L = mu, mu
	q.refresh = alarm{keeper: &q.clock, ring: q.measureUnfinishedWork}
	q.mover = alarm{keeper: &q.clock, ring: q.moveHand}
	if q.metrics != nil {
		q.refresh.set(unfinishedWorkPeriod)
	}
	return q
}

// Add asks for item to be worked on.
func (q *Typed[T]) Add(item T) { q.add(item, 0) }

func (q *Typed[T]) add(item T, priority int32) {
	hash := q.hasher.Hash(item)
	if q.lockAndAdd(hash, item, priority) {
		q.mu.standBack()
	}
}

// lockAndAdd tells whether the producer had better let workers catch up.
func (q *Typed[T]) lockAndAdd(hash uint64, item T, priority int32) (ahead bool) {
	q.mu.lockToAdd()
	defer q.mu.Unlock()
	q.addLocked(hash, item, priority)
	if !q.long || q.taken < takenToWait {
		return false
	}
	q.taken = 0
	return true
}

// addAll adds keys whose delay is over. Their hashes are of this queue's hasher.
func (q *Typed[T]) addAll(due []delivery[T]) {
	q.mu.lockToAdd()
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
		q.hand.uses++
		q.touch(slot, e, priority)
		return
	}
	e.Val.dirtyAt, e.Val.priority = q.now(), priority
	if !known {
		q.pushNew(slot, e)
	}
	e.Val.dirty = true
	q.metrics.added()
}

// pushNew puts a key into the line that was not known before, and is not known afterwards if that panics: a Queue or a
// Tenant function is the user's.
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

// raise raises the priority of a key that is dirty, and tells whether it is.
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
	if e.Val.processing {
		e.Val.priority = max(e.Val.priority, priority)
	} else {
		q.line.touch(slot, e, priority)
	}
}

// push puts a key into the line and sees to it that a worker takes it.
func (q *Typed[T]) push(slot uint32, e *keyEntry[T]) {
	q.line.push(slot, e)
	if !q.long && q.line.len() >= longLine {
		q.long = true
		q.mu.crowded.Store(true)
	}
	q.wake()
}

// wake signals a sleeping worker where that is of use. Not one signal a key: a worker that comes awake takes keys as
// long as there are any, and wakes the next one itself (see get).
func (q *Typed[T]) wake() {
	if q.asleep > q.waking && q.waking < q.maxWaking && q.waking < q.line.len() {
		q.waking++
		q.work.Signal()
	}
}

// Get takes the next key; see TypedInterface.
func (q *Typed[T]) Get() (item T, shutdown bool) {
	item, _, shutdown = q.get()
	return item, shutdown
}

func (q *Typed[T]) get() (item T, priority int, shutdown bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.gets++; q.gets%getsToLook == 0 {
		q.refilled(slack)
	}
	for {
		for q.line.len() == 0 {
			if q.closed {
				return item, 0, true
			}
			if !q.refilled(0) && q.line.len() == 0 && !q.closed {
				q.sleep()
			}
		}
		slot, e := q.next()
		q.taken++
		q.wake()
		if e.Val.processing {
			continue // a user's Queue returned what a worker holds; it comes back at Done
		}
		now := q.now()
		q.keys.hold(slot, &e.Val, now)
		q.metrics.taken(now - e.Val.dirtyAt)
		return e.Key, int(e.Val.priority), false
	}
}

// refilled lets go of the lock to look for keys that have become due.
func (q *Typed[T]) refilled(late int64) bool {
	if q.refill == nil {
		return false
	}
	q.mu.Unlock()
	defer q.mu.Lock()
	return q.refill(late)
}

func (q *Typed[T]) sleep() {
	q.asleep++
	q.work.Wait()
	q.asleep--
	q.waking = max(q.waking-1, 0) // a broadcast wakes more than were counted
}

// next takes a key out of the line. A user's Queue may return an item that was never pushed; it is handed out all the
// same.
func (q *Typed[T]) next() (slot uint32, e *keyEntry[T]) {
	slot, item := q.line.pop()
	if q.long && q.line.len() < longLine/2 {
		q.long = false
		q.mu.crowded.Store(false)
	}
	if slot != noSlot {
		return slot, q.keys.At(slot)
	}
	hash := q.hasher.Hash(item)
	slot, e, known := q.keys.Ensure(hash, item)
	if !known {
		e.Val.dirtyAt = q.clock.now()
	}
	return slot, e
}

// Done gives back a key that Get handed out.
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
		q.push(slot, e) // first: if it panics, the worker still holds the key
	}
	if q.metrics != nil {
		q.metrics.done(q.clock.now() - e.Val.takenAt)
	}
	q.keys.letGo(&e.Val, place)
	q.line.done(tenant)
	if !again {
		q.keys.Remove(slot)
	}
	if q.draining && len(q.keys.busy) == 0 {
		q.drained.Broadcast()
	}
}

// Len is the number of keys that wait for a worker.
func (q *Typed[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.line.len()
}

// ShutDown refuses further keys and ends the workers when those that wait are handed out.
func (q *Typed[T]) ShutDown() {
	q.shutDown(false)
	q.endMetrics()
}

// ShutDownWithDrain is ShutDown, and then waits until no worker holds a key, or until ShutDown is called.
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

// shutDown returns when nothing of the queue runs any more on a goroutine of its own.
func (q *Typed[T]) shutDown(drain bool) {
	q.closing.Store(true)
	q.mu.Lock()
	q.closed, q.draining = true, drain
	q.refresh.stop()
	q.mover.stop()
	q.waking = 0
	q.work.Broadcast()
	q.drained.Broadcast()
	q.mu.Unlock()
	q.refresh.wait()
	q.mover.wait()
}

// ShuttingDown tells whether the queue was told to shut down.
func (q *Typed[T]) ShuttingDown() bool { return q.closing.Load() }

// now is the time; when the queue is busy and has no metrics, it is right to about ten milliseconds.
func (q *Typed[T]) now() int64 {
	if q.closed {
		return q.clock.now() // nobody moves the hand any more
	}
	now, start := q.hand.read(&q.clock)
	if start {
		q.mover.set(handPeriod)
	}
	if q.metrics != nil {
		return q.clock.now()
	}
	return now
}

func (q *Typed[T]) moveHand() {
	now := q.clock.now()
	q.mu.lockAtLeisure()
	defer q.mu.Unlock()
	again, full := q.hand.move(now)
	q.mu.busy.Store(full)
	q.mu.delaying.Store(false) // who does so says it again
	if again && !q.closed {
		q.mover.set(handPeriod)
	}
}

// measureUnfinishedWork brings the two metrics up to date that change while nothing happens.
func (q *Typed[T]) measureUnfinishedWork() {
	now := q.clock.now()
	q.mu.lockAtLeisure()
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

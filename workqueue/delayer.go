package workqueue

import (
	"sync/atomic"
	"time"

	"vedette.dev/internal/keyhash"
	"vedette.dev/workqueue/internal/slotmap"
)

// delayer holds keys back until they are due and then passes them to deliver. It has no goroutine: a timer is set for
// the first wake-up.
type delayer[T comparable] struct {
	hasher keyhash.Hasher[T]
	clock  queueClock
	// deliver takes the keys that are due. It is called without a lock, by one goroutine at a time.
	deliver func([]delivery[T])

	// size is the number of keys in wait, for callers that need not take the lock if there are none.
	size atomic.Int64

	mu   mutex
	wait *waiting[T]
	// timer is set for timerAt. It may fire too early, if the key it was set for is gone, but never too late.
	// Invariant: timerAt is not after the first wake-up, unless delivering.
	timer   timer
	timerAt int64
	// delivering: a goroutine is in deliverDue. It sets the timer when it is done.
	delivering bool
	closed     bool
	batch      [batchSize]delivery[T] // used by the goroutine that set delivering
}

const (
	// batchSize is the number of keys that are delivered under one lock of the queue.
	batchSize = 64
	// tooLate is how late a key may be, because there is no processor to deliver it, before AddAfter waits for
	// backPressure each time: it uses time that the timer and the workers need. Under a CPU quota it does not help to
	// yield instead.
	tooLate      = int64(5 * time.Millisecond)
	backPressure = 100 * time.Microsecond
)

// newDelayer returns a delayer that passes its keys to a function.
func newDelayer[T comparable](hasher keyhash.Hasher[T], clock queueClock, deliver func([]delivery[T])) *delayer[T] {
	d := &delayer[T]{
		hasher:  hasher,
		clock:   clock,
		deliver: deliver,
		mu:      newMutex(),
		wait:    newWaiting[T](),
		timerAt: never,
	}
	d.timer = timer{clock: &d.clock, fire: d.deliverDue}
	return d
}

// add delays a key; the earlier of two times wins. It waits for a moment if keys are too late.
func (d *delayer[T]) add(item T, delay time.Duration, priority int32) {
	if d.put(item, delay, priority) {
		time.Sleep(backPressure)
	}
}

// put reports whether keys are too late.
func (d *delayer[T]) put(item T, delay time.Duration, priority int32) (late bool) {
	hash, now := d.hasher.Hash(item), d.clock.now()
	d.mu.Lock()
	defer d.unlock()
	if d.closed {
		return false
	}
	slot, e := d.wait.findOrInsert(hash, item)
	d.wait.put(slot, e, after(now, delay), priority)
	d.setTimer(now)
	return now-d.wait.next() > tooLate
}

// failure is a key that failed and backs off.
type failure[T comparable] struct {
	item     T
	priority int32
	// queued: the key will run anyway, so it is not to be added when the window ends.
	queued bool
}

// backOff delays a key that failed, for as long as when returns. A failure inside the window of an earlier one comes
// from a trigger that was too early: when is not called, and the key is added when the window ends.
func (d *delayer[T]) backOff(f failure[T], when func(T) time.Duration) {
	hash := d.hasher.Hash(f.item)
	if !d.openWindow(hash, f) {
		return
	}
	delay := time.Duration(-1) // if when panics, the window is taken back
	defer func() { d.setWindow(hash, f, delay) }()
	// The limiter is the user's and may do anything, so it is called without a lock. Meanwhile the window has no end.
	delay = max(when(f.item), 0)
}

// openWindow reports false if a window is open already.
func (d *delayer[T]) openWindow(hash uint64, f failure[T]) bool {
	now := d.clock.now()
	d.mu.Lock()
	defer d.unlock()
	if d.closed {
		return false
	}
	slot, e := d.wait.findOrInsert(hash, f.item)
	if e.backoffEnd > now {
		if !f.queued {
			d.wait.put(slot, e, e.backoffEnd, f.priority)
			d.setTimer(now)
		}
		return false
	}
	e.backoffEnd = never
	return true
}

func (d *delayer[T]) setWindow(hash uint64, f failure[T], delay time.Duration) {
	now := d.clock.now()
	d.mu.Lock()
	defer d.unlock()
	if d.closed {
		return
	}
	slot, e := d.wait.findOrInsert(hash, f.item) // it may have been forgotten or canceled meanwhile
	e.backoffEnd = after(now, delay)
	switch {
	case delay >= 0 && (e.pending || !f.queued):
		d.wait.put(slot, e, e.backoffEnd, f.priority)
	case delay >= 0:
		d.wait.settle(slot, e, now)
	case e.pending && d.wait.wakeUp(slot) == never: // another caller relies on the window that is taken back
		e.backoffEnd = 0
		d.wait.set(slot, now)
	default:
		d.wait.closeWindow(slot, e)
	}
	d.setTimer(now)
}

// cancel takes back a delayed add. A back-off window stays open.
func (d *delayer[T]) cancel(item T) (priority int32, was bool) {
	hash := d.hasher.Hash(item)
	if d.size.Load() == 0 {
		return 0, false
	}
	now := d.clock.now()
	d.mu.Lock()
	defer d.unlock()
	slot, e, ok := d.wait.find(hash, item)
	if !ok || !e.pending {
		return 0, false
	}
	priority = e.priority
	d.wait.settle(slot, e, now)
	d.setTimer(now)
	return priority, true
}

// forget closes the back-off window of a key. A delayed add stays.
func (d *delayer[T]) forget(item T) {
	hash := d.hasher.Hash(item)
	d.mu.Lock()
	defer d.unlock()
	if slot, e, ok := d.wait.find(hash, item); ok {
		d.wait.closeWindow(slot, e)
	}
}

// due returns the time until which a key is delayed.
func (d *delayer[T]) due(item T) (at time.Time, delayed bool) {
	hash := d.hasher.Hash(item)
	d.mu.Lock()
	defer d.unlock()
	slot, e, ok := d.wait.find(hash, item)
	if !ok || !e.pending {
		return time.Time{}, false
	}
	return d.clock.time(d.wait.wakeUp(slot)), true
}

func (d *delayer[T]) unlock() {
	d.size.Store(int64(d.wait.keys.Len()))
	d.mu.Unlock()
}

// setTimer sets the timer for the first wake-up, unless it is set for an earlier time. The caller holds mu.
func (d *delayer[T]) setTimer(now int64) {
	if next := d.wait.next(); next < d.timerAt && !d.delivering && !d.closed {
		d.timerAt = next
		d.timer.set(time.Duration(max(next-now, 0)))
	}
}

// deliverDue delivers what is due. It is called by the timer. Only one goroutine delivers at a time, so that keys arrive
// in the order in which they are due.
func (d *delayer[T]) deliverDue() {
	d.mu.Lock()
	defer d.unlock()
	if d.delivering {
		return
	}
	d.delivering, d.timerAt = true, never
	now := d.clock.now()
	for n := d.wait.popDue(now, d.batch[:]); n > 0; n = d.wait.popDue(now, d.batch[:]) {
		d.deliverBatch(n)
	}
	d.delivering = false
	d.setTimer(d.clock.now())
}

// deliverBatch releases the lock while it delivers.
func (d *delayer[T]) deliverBatch(n int) {
	d.unlock()
	defer d.mu.Lock()
	defer clear(d.batch[:n])
	d.deliver(d.batch[:n])
}

// close drops what is delayed. When it returns, the timer is stopped and its goroutine gone.
func (d *delayer[T]) close() {
	d.mu.Lock()
	d.closed = true
	d.wait = newWaiting[T]()
	d.timer.stop()
	d.unlock()
	d.timer.wait()
}

// describe adds what is known here of a key to what is known elsewhere.
func (d *delayer[T]) describe(it *Item[T]) (delayed bool) {
	hash := d.hasher.Hash(it.Key)
	d.mu.Lock()
	defer d.unlock()
	slot, e, ok := d.wait.find(hash, it.Key)
	if !ok || !e.pending {
		return false
	}
	it.Due = d.clock.time(d.wait.wakeUp(slot))
	if it.QueuedSince.IsZero() && it.ProcessingSince.IsZero() {
		it.Priority = int(e.priority)
	}
	return true
}

// list fills in the delayed keys of a snapshot.
func (d *delayer[T]) list(s *Snapshot[T], limit int) {
	o := oldest[T]{limit: limit, by: due[T]}
	gather(d.copyItems, o.add)
	s.WaitingCount, s.Waiting = o.count, o.trim()
}

func (d *delayer[T]) copyItems(items []Item[T], from, to uint32) (_ []Item[T], more bool) {
	d.mu.Lock()
	defer d.unlock()
	more = d.wait.keys.Range(from, to, func(slot uint32, e *slotmap.Entry[T, delayed]) {
		if e.Val.pending {
			due := d.clock.time(d.wait.wakeUp(slot))
			items = append(items, Item[T]{Key: e.Key, Due: due, Priority: int(e.Val.priority)})
		}
	})
	return items, more
}

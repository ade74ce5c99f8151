package workqueue

import (
	"runtime"
	"sync/atomic"
	"time"

	"vedette.dev/internal/slotmap"
)

// delayer holds keys back until they are due and then hands them to deliver. It has no goroutine: whoever passes by
// (AddAfter, Get, Len) delivers what has become due, and an alarm sees to it when nobody passes.
type delayer[T comparable] struct {
	hasher slotmap.Hasher[T]
	clock  timekeeper
	// deliver takes the keys that are due. It is called without a lock, by one goroutine at a time.
	deliver func([]delivery[T])

	// below is the lock of the queue that deliver adds to; nil if that is not of this package.
	below *briefLock

	intake intake[T]

	mu   briefLock
	wait *waiting[T] // whoever looks at it calls takeIn first
	// alarm is set for alarmAt. It may ring too early, when the key it was set for is gone; never too late.
	// Invariant: alarmAt is not after intake.next, unless somebody is delivering or about to, or about to set it.
	alarm      alarm
	alarmAt    int64
	delivering atomic.Bool // changes under mu
	closed     bool
	adds       uint32                 // but for those that went to the intake
	batch      [batchSize]delivery[T] // belongs to whoever set delivering
}

type delivery[T comparable] struct {
	item     T
	hash     uint64 // by the hasher of the delayer
	priority int32
}

const (
	// batchSize bounds what somebody who passes by does for others.
	batchSize = 64
	// ringBatches bounds what the alarm does before it lets others run.
	ringBatches = 16
	// slack is how late a key may become before somebody who has other things to do delivers it: several at once cost
	// little more than one. A worker that has nothing to do does not wait for that, nor does the alarm.
	slack = int64(100 * time.Microsecond)
	// tooLate is how late a key is when those who deliver or work have obviously not enough time.
	tooLate, muchTooLate = int64(time.Millisecond), int64(4 * time.Millisecond)
	// addsToYield is after how many adds a producer lets others run. One that never does so is made to when its slice of
	// time is over, and would then most likely hold the lock or be delivering, which all others would have to wait for.
	addsToYield = 2048
	// addsToPause is after how many adds a producer lets others run when keys are too late; when they are much too late, it
	// does so after each.
	addsToPause = 4
)

// newDelayer returns a delayer that hands its keys to a function.
func newDelayer[T comparable](hasher slotmap.Hasher[T], clock timekeeper, deliver func([]delivery[T])) *delayer[T] {
	d := &delayer[T]{
		hasher:  hasher,
		clock:   clock,
		deliver: deliver,
		wait:    newWaiting[T](),
		alarmAt: never,
	}
	d.intake.init()
	d.alarm = alarm{keeper: &d.clock, ring: d.ring}
	return d
}

// newDelayerOf returns a delayer in front of a queue, which asks it for keys when it has none.
func newDelayerOf[T comparable](q *Typed[T], clock timekeeper) *delayer[T] {
	d := newDelayer(q.hasher, clock, q.addAll)
	d.below = q.mu
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.refill == nil { // a second delayer has its alarm
		q.refill = d.look
	}
	return d
}

// add delays a key; the earlier of two times wins.
func (d *delayer[T]) add(item T, delay time.Duration, priority int32) {
	hash, now := d.hasher.Hash(item), d.clock.now()
	add := &delayedAdd[T]{item: item, hash: hash, due: after(now, delay), priority: priority}
	n, ok := d.enter(add, now)
	if !ok {
		return
	}
	d.passBy(now, slack)
	if n%addsToYield == 0 || d.behind(n, now) {
		runtime.Gosched()
	}
}

// enter puts a key among those that wait. It returns the number of the add, or false if the delayer is closed.
func (d *delayer[T]) enter(add *delayedAdd[T], now int64) (n uint32, ok bool) {
	if d.intake.open.Load() {
		return d.enterByIntake(add, now)
	}
	d.mu.lockToAdd()
	defer d.mu.Unlock()
	if d.closed {
		return 0, false
	}
	d.takeIn()
	d.wait.wheel.Advance(now)
	d.wait.add(add)
	if d.wait.keys.Len() >= d.intake.openAt {
		d.intake.open.Store(true)
	}
	if add.due < d.intake.next.Load() { // else it comes after something that is known already
		d.changed(now)
	}
	d.adds++
	return d.adds, true
}

func (d *delayer[T]) enterByIntake(add *delayedAdd[T], now int64) (n uint32, ok bool) {
	got := d.intake.put(add)
	for got.full {
		d.mu.lockToAdd()
		d.takeIn()
		d.mu.Unlock()
		got = d.intake.put(add)
	}
	switch {
	case got.first:
		d.mu.lockToAdd()
		d.setAlarm(now, d.intake.next.Load())
		d.mu.Unlock()
	case got.enough && d.mu.tryLock():
		d.takeIn()
		d.mu.Unlock()
	}
	return got.count, !got.ended
}

// behind tells whether keys come due faster than workers take them, so that a producer had better let others run after
// its n-th add.
func (d *delayer[T]) behind(n uint32, now int64) bool {
	late := now - d.intake.next.Load()
	if n%addsToPause != 0 {
		return late > muchTooLate
	}
	return late > tooLate || d.below != nil && d.below.crowded.Load()
}

// takeIn puts the keys that were added last among those that wait. The caller holds mu.
func (d *delayer[T]) takeIn() {
	if d.intake.some.Load() {
		d.takeAllIn()
	}
}

func (d *delayer[T]) takeAllIn() {
	adds := d.intake.take()
	d.wait.addAll(adds)
	d.intake.recycle(adds)
}

// failure is a key that failed and backs off.
type failure[T comparable] struct {
	item     T
	priority int32
	// queued: the key will run anyway, so it is not to be added when the window ends.
	queued bool
}

// backOff delays a key that failed, for as long as when says. A failure inside the window of an earlier one is the
// work of a trigger that came too soon: when is not asked, and the key is added when the window ends.
func (d *delayer[T]) backOff(f failure[T], when func(T) time.Duration) {
	hash := d.hasher.Hash(f.item)
	if !d.openWindow(hash, f) {
		return
	}
	delay := time.Duration(-1) // if when panics, the window is taken back
	defer func() { d.setWindow(hash, f, delay) }()
	// The limiter is the user's and may do anything, so it is asked without a lock. Meanwhile the window has no end.
	delay = max(when(f.item), 0)
}

// openWindow reports false if a window is open already.
func (d *delayer[T]) openWindow(hash uint64, f failure[T]) bool {
	now := d.clock.now()
	d.mu.lockToAdd()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	d.takeIn()
	slot, e := d.wait.findOrInsert(hash, f.item)
	if e.backoffEnd > now {
		if !f.queued {
			d.wait.put(slot, e, e.backoffEnd, f.priority)
			d.changed(now)
		}
		return false
	}
	e.backoffEnd = never
	return true
}

func (d *delayer[T]) setWindow(hash uint64, f failure[T], delay time.Duration) {
	now := d.clock.now()
	d.mu.lockToAdd()
	if !d.closed {
		d.takeIn()
		slot, e := d.wait.findOrInsert(hash, f.item) // it may have been forgotten or cancelled meanwhile
		e.backoffEnd = after(now, delay)
		switch {
		case delay >= 0 && (e.pending || !f.queued):
			d.wait.put(slot, e, e.backoffEnd, f.priority)
		case delay >= 0:
			d.wait.settle(slot, e, now)
		case e.pending && e.wakeUp() == never: // somebody else relies on the window that is taken back
			e.backoffEnd = 0
			d.wait.set(slot, e, now)
		default:
			d.wait.closeWindow(slot, e)
		}
		d.changed(now)
	}
	d.mu.Unlock()
	d.passBy(now, 0)
}

// cancel takes back a delayed add. A back-off window stays open.
func (d *delayer[T]) cancel(item T) (priority int32, was bool) {
	hash, now := d.hasher.Hash(item), d.clock.now()
	d.mu.lockToAdd()
	defer d.mu.Unlock()
	d.takeIn()
	slot, e, ok := d.wait.find(hash, item)
	if !ok || !e.pending {
		return 0, false
	}
	priority = e.priority
	d.wait.settle(slot, e, now)
	d.changed(now)
	return priority, true
}

// forget closes the back-off window of a key. A delayed add stays.
func (d *delayer[T]) forget(item T) {
	hash := d.hasher.Hash(item)
	d.mu.lockToAdd()
	defer d.mu.Unlock()
	d.takeIn()
	if slot, e, ok := d.wait.find(hash, item); ok {
		d.wait.closeWindow(slot, e)
	}
}

// due tells until when a key is delayed.
func (d *delayer[T]) due(item T) (int64, bool) {
	hash := d.hasher.Hash(item)
	d.mu.lockToAdd()
	defer d.mu.Unlock()
	d.takeIn()
	_, e, ok := d.wait.find(hash, item)
	if !ok || !e.pending {
		return 0, false
	}
	return e.wakeUp(), true
}

// dueTime is due, as a point in time.
func (d *delayer[T]) dueTime(item T) (time.Time, bool) {
	at, ok := d.due(item)
	if !ok {
		return time.Time{}, false
	}
	return d.clock.time(at), true
}

// changed keeps next and the alarm right after a change. The caller holds mu, and passes by when it has let go of it
// if something is due already.
func (d *delayer[T]) changed(now int64) {
	if next := d.intake.setNext(d.wait.next()); next > now {
		d.setAlarm(now, next)
	}
}

func (d *delayer[T]) setAlarm(now, next int64) {
	if next < d.alarmAt && !d.delivering.Load() && !d.closed {
		d.alarmAt = next
		d.alarm.set(time.Duration(next - now))
	}
}

// passBy delivers some of what is due at now, if the first of it has been due for late or longer. It tells whether it
// delivered anything.
func (d *delayer[T]) passBy(now, late int64) bool {
	if d.intake.next.Load() > now-late || d.delivering.Load() {
		return false
	}
	if late == 0 {
		d.mu.lockToAdd()
	} else if !d.mu.tryLock() {
		return false
	}
	defer d.mu.Unlock()
	return d.deliverDue(now, 1)
}

// look is passBy for those who have not looked at the clock yet.
func (d *delayer[T]) look(late int64) bool {
	return d.intake.next.Load() != never && d.passBy(d.clock.now(), late)
}

// ring is called by the alarm.
func (d *delayer[T]) ring() {
	d.mu.lockToAdd()
	defer d.mu.Unlock()
	d.alarmAt = never
	d.deliverDue(d.clock.now(), ringBatches)
}

// deliverDue hands over what is due, in so many batches at most, and leaves the rest to the alarm. Only one goroutine
// delivers at a time, so that keys arrive in the order in which they are due; a second one need not wait for the first.
// It tells whether there was anything. The caller holds mu.
func (d *delayer[T]) deliverDue(now int64, batches int) (delivered bool) {
	if d.delivering.Load() {
		return false
	}
	d.delivering.Store(true)
	defer func() { // also when deliver panics
		d.delivering.Store(false)
		now := d.clock.now()
		d.setAlarm(now, d.intake.setNext(d.wait.next()))
		if d.intake.open.Load() && d.wait.keys.Len() < d.intake.openAt/2 {
			d.intake.shut()
		}
		d.keepPace()
	}()
	for range batches {
		d.takeIn()
		n := d.wait.popDue(now, &d.batch)
		if n == 0 {
			break
		}
		d.deliverBatch(n)
		delivered = true
	}
	return delivered
}

// keepPace makes the locks as patient as that of the queue below, and tells that one when very many keys are delayed.
func (d *delayer[T]) keepPace() {
	if d.below == nil {
		return
	}
	if busy := d.below.busy.Load(); busy != d.mu.busy.Load() {
		d.mu.busy.Store(busy)
		d.intake.mu.busy.Store(busy)
	}
	if d.intake.open.Load() && !d.below.delaying.Load() {
		d.below.delaying.Store(true)
	}
}

// deliverBatch lets go of the lock while it delivers.
func (d *delayer[T]) deliverBatch(n int) {
	d.mu.Unlock()
	defer d.mu.lockToAdd()
	defer clear(d.batch[:n])
	d.deliver(d.batch[:n])
}

// close drops what is delayed. When it returns the alarm is silent and its goroutine gone.
func (d *delayer[T]) close() {
	d.mu.lockToAdd()
	d.closed = true
	d.intake.end()
	d.wait = newWaiting[T]()
	d.alarm.stop()
	d.mu.Unlock()
	d.alarm.wait()
}

// describe adds what is known here of a key to what is known elsewhere.
func (d *delayer[T]) describe(it *Item[T]) (delayed bool) {
	hash := d.hasher.Hash(it.Key)
	d.mu.lockToAdd()
	defer d.mu.Unlock()
	d.takeIn()
	_, e, ok := d.wait.find(hash, it.Key)
	if !ok || !e.pending {
		return false
	}
	it.Due = d.clock.time(e.wakeUp())
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
	d.mu.lockToAdd()
	defer d.mu.Unlock()
	d.takeIn()
	more = d.wait.keys.Range(from, to, func(_ uint32, e *slotmap.Entry[T, delayed]) {
		if e.Val.pending {
			due := d.clock.time(e.Val.wakeUp())
			items = append(items, Item[T]{Key: e.Key, Due: due, Priority: int(e.Val.priority)})
		}
	})
	return items, more
}

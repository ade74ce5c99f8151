package workqueue

import (
	"vedette.dev/internal/slotmap"
	"vedette.dev/internal/timewheel"
)

// waiting is the set of delayed keys, ordered by due time. It has no lock and no clock: time comes in as a number.
type waiting[T comparable] struct {
	keys slotmap.Map[T, delayed]
	// wheel holds the wake-ups. Invariant: a slot of keys is in the wheel, unless its wake-up is never.
	wheel timewheel.Wheel
	// pending counts the keys with a delayed add.
	pending int
}

// delayed is what is known of a delayed key. Its wake-up is the due time of the add while one is pending, else the end
// of the back-off window.
type delayed struct {
	// backoffEnd is the end of the window that was opened for the key's last failure; zero if there is none. The
	// window outlives an early run of the key: failures inside it are not counted again.
	backoffEnd int64
	timer      timewheel.Timer
	priority   int32
	// pending: the key is to be added at its wake-up.
	pending bool
}

// keepWaiting is the number of delayed keys whose memory is kept for the next ones.
const keepWaiting = 1000

func newWaiting[T comparable]() *waiting[T] {
	w := &waiting[T]{keys: slotmap.New[T, delayed](keepWaiting)}
	w.wheel = timewheel.New(w)
	return w
}

// Timer tells the wheel where the timer of a slot is.
func (w *waiting[T]) Timer(slot uint32) *timewheel.Timer {
	if e := w.keys.Peek(slot); e != nil {
		return &e.Val.timer
	}
	return nil
}

func (w *waiting[T]) find(hash uint64, item T) (slot uint32, d *delayed, ok bool) {
	slot, e, ok := w.keys.Find(hash, item)
	if !ok {
		return 0, nil, false
	}
	return slot, &e.Val, true
}

// findOrInsert returns the entry of a key, new and without a wake-up if it has none.
func (w *waiting[T]) findOrInsert(hash uint64, item T) (slot uint32, d *delayed) {
	slot, e, _ := w.keys.Ensure(hash, item)
	return slot, &e.Val
}

// put makes a key due; the earlier time and the higher priority win over those of an add that is pending already.
func (w *waiting[T]) put(slot uint32, d *delayed, due int64, priority int32) {
	if d.pending {
		d.priority = max(d.priority, priority)
		due = min(due, d.wakeUp())
	} else {
		d.pending, d.priority = true, priority
		w.pending++
	}
	w.set(slot, d, due)
}

// add makes a key due that may be new.
func (w *waiting[T]) add(a *delayedAdd[T]) {
	slot, d := w.findOrInsert(a.hash, a.item)
	w.put(slot, d, a.due, a.priority)
}

// addAll is add for several keys.
func (w *waiting[T]) addAll(adds []delayedAdd[T]) {
	for i := range adds {
		w.keys.Warm(adds[i].hash)
	}
	for i := range adds {
		w.add(&adds[i])
	}
}

// settle ends a pending add, whether it was delivered or taken back. The entry stays while its window lasts.
func (w *waiting[T]) settle(slot uint32, d *delayed, now int64) {
	if d.pending {
		d.pending = false
		w.pending--
	}
	if d.backoffEnd > now {
		w.set(slot, d, d.backoffEnd)
		return
	}
	w.set(slot, d, never)
	w.keys.Remove(slot)
}

// closeWindow ends the back-off window of a key. A pending add stays.
func (w *waiting[T]) closeWindow(slot uint32, d *delayed) {
	d.backoffEnd = 0
	if !d.pending {
		w.wheel.Remove(slot)
		w.keys.Remove(slot)
	}
}

// wakeUp is the time at which the key comes up in the wheel, or never.
func (d *delayed) wakeUp() int64 {
	if at, ok := d.timer.Due(); ok {
		return at
	}
	return never
}

func (w *waiting[T]) set(slot uint32, d *delayed, at int64) {
	switch {
	case at == d.wakeUp():
	case at == never:
		w.wheel.Remove(slot)
	default:
		w.wheel.Set(slot, at)
	}
}

// next is a time before which there is no wake-up; at the latest at that time, ask again.
func (w *waiting[T]) next() int64 { return w.wheel.Next() }

// popDue takes out the pending adds whose time has come, as many as there is room for, and returns how many those are.
// Windows that have ended are cleared away.
func (w *waiting[T]) popDue(now int64, into *[batchSize]delivery[T]) (n int) {
	var slots [batchSize]uint32
	for n == 0 {
		popped := slots[:w.wheel.PopDue(now, slots[:])]
		if len(popped) == 0 {
			break
		}
		for _, slot := range popped {
			w.keys.Warm(w.keys.At(slot).Hash())
		}
		for _, slot := range popped {
			e := w.keys.At(slot)
			if e.Val.pending {
				into[n] = delivery[T]{item: e.Key, hash: e.Hash(), priority: e.Val.priority}
				n++
			}
			w.settle(slot, &e.Val, now)
		}
	}
	return n
}

package workqueue

import (
	"vedette.dev/workqueue/internal/dueheap"
	"vedette.dev/workqueue/internal/slotmap"
)

// waiting is the set of delayed keys, ordered by due time. It has no lock and no clock: time comes in as a number.
type waiting[T comparable] struct {
	keys slotmap.Map[T, delayed]
	// wakeUps orders the slots of keys by the time of their wake-up, those with equal times in the order of put.
	// Invariant: each slot of keys is in it, unless its wake-up is never.
	wakeUps dueheap.Heap
}

// delayed is what is known of a delayed key. Its wake-up is the due time of the add while one is pending, else the end
// of the back-off window.
type delayed struct {
	// backoffEnd is the end of the window that was opened for the key's last failure; zero if there is none. The
	// window outlives an early run of the key: failures inside it are not counted again.
	backoffEnd int64
	priority   int32
	// pending: the key is to be added at its wake-up.
	pending bool
}

// delivery is a key whose delay is over.
type delivery[T comparable] struct {
	item     T
	hash     uint64 // by the hasher of the delayer
	priority int32
}

func newWaiting[T comparable]() *waiting[T] {
	return &waiting[T]{keys: slotmap.New[T, delayed](keepKeys)}
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
		due = min(due, w.wakeUp(slot))
	} else {
		d.pending, d.priority = true, priority
	}
	w.set(slot, due)
}

// settle ends a pending add, whether it was delivered or canceled. The entry stays while its window lasts.
func (w *waiting[T]) settle(slot uint32, d *delayed, now int64) {
	d.pending = false
	if d.backoffEnd > now {
		w.set(slot, d.backoffEnd)
		return
	}
	w.remove(slot)
}

// closeWindow ends the back-off window of a key. A pending add stays.
func (w *waiting[T]) closeWindow(slot uint32, d *delayed) {
	d.backoffEnd = 0
	if !d.pending {
		w.remove(slot)
	}
}

func (w *waiting[T]) remove(slot uint32) {
	w.wakeUps.Remove(slot)
	w.keys.Remove(slot)
}

// wakeUp returns the time of a key's wake-up, or never.
func (w *waiting[T]) wakeUp(slot uint32) int64 {
	if at, ok := w.wakeUps.Rank(slot); ok {
		return at
	}
	return never
}

func (w *waiting[T]) set(slot uint32, at int64) {
	switch {
	case at == w.wakeUp(slot): // it keeps its place among equals
	case at == never:
		w.wakeUps.Remove(slot)
	default:
		w.wakeUps.Set(slot, at)
	}
}

// next returns the time of the first wake-up, or never.
func (w *waiting[T]) next() int64 {
	if _, at, ok := w.wakeUps.Min(); ok {
		return at
	}
	return never
}

// popDue takes out the pending adds that are due, as many as there is room for, and returns how many. It drops the
// windows that have ended.
func (w *waiting[T]) popDue(now int64, into []delivery[T]) (n int) {
	for n < len(into) {
		slot, at, ok := w.wakeUps.Min()
		if !ok || at > now {
			break
		}
		e := w.keys.At(slot)
		if e.Val.pending {
			into[n] = delivery[T]{item: e.Key, hash: e.Hash(), priority: e.Val.priority}
			n++
		}
		w.settle(slot, &e.Val, now)
	}
	return n
}

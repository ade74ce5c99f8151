package workqueue

import "vedette.dev/workqueue/internal/slotmap"

// keyState is what a queue knows of a key. A key that is neither dirty nor processing is not known at all.
type keyState struct {
	// dirty: the key was added, and no worker has taken it since.
	dirty bool
	// processing: a worker has taken the key and not called Done.
	// Invariant: a key is in the ready queue if and only if it is dirty and not processing.
	processing bool
	priority   int32
	// place is, while the key is ready, for the ready queue to use; while it is processing, its index in keyTable.busy.
	place uint32
	// tenant is for the ready queue to use, from push to done.
	tenant uint32
	// dirtyAt and takenAt are the times at which dirty and processing were last set.
	dirtyAt, takenAt int64
}

// keyTable holds the states of the keys that are dirty or processing. Ready queues name a key by its slot.
type keyTable[T comparable] struct {
	slotmap.Map[T, keyState]
	// busy lists the slots that are processing, in no order.
	busy []uint32
}

type keyEntry[T comparable] = slotmap.Entry[T, keyState]

// keepKeys is the number of keys whose memory is kept for the next ones.
const keepKeys = 1000

func newKeyTable[T comparable]() keyTable[T] {
	return keyTable[T]{Map: slotmap.New[T, keyState](keepKeys)}
}

// acquire marks a key as taken by a worker.
func (t *keyTable[T]) acquire(slot uint32, k *keyState, now int64) {
	k.dirty, k.processing, k.takenAt, k.place = false, true, now, uint32(len(t.busy))
	t.busy = append(t.busy, slot)
}

// release takes a key out of busy, where acquire had put it at place.
func (t *keyTable[T]) release(k *keyState, place uint32) {
	last := len(t.busy) - 1
	moved := t.busy[last]
	if int(place) != last {
		t.At(moved).Val.place = place
		t.busy[place] = moved
	}
	t.busy = t.busy[:last]
	if last == 0 && cap(t.busy) > keepKeys {
		t.busy = nil
	}
	k.processing = false
}

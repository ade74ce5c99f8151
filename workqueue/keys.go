package workqueue

import "vedette.dev/internal/slotmap"

// keyState is what a queue knows of a key. A key that is neither dirty nor processing is not known at all.
type keyState struct {
	// dirty: somebody asked for the key to be worked on, and no worker has taken it since.
	dirty bool
	// processing: a worker holds the key.
	// Invariant: a key is in the line if and only if it is dirty and not processing.
	processing bool
	priority   int32
	// place is, while the key waits, for the line to use; while a worker holds the key, its index in keyTable.busy.
	place uint32
	// tenant is for the line to use, from push to done.
	tenant uint32
	// dirtyAt and takenAt are the times at which dirty and processing were last set.
	dirtyAt, takenAt int64
}

// keyTable holds the states of the keys that are dirty or processing. Lines name a key by its slot.
type keyTable[T comparable] struct {
	slotmap.Map[T, keyState]
	// busy lists the slots that are processing, in no order, so that nobody has to search a long queue for them.
	busy []uint32
}

type keyEntry[T comparable] = slotmap.Entry[T, keyState]

// keepKeys is the number of keys whose memory is kept for the next ones.
const keepKeys = 1000

func newKeyTable[T comparable]() keyTable[T] {
	return keyTable[T]{Map: slotmap.New[T, keyState](keepKeys)}
}

// hold marks a key as taken by a worker.
func (t *keyTable[T]) hold(slot uint32, k *keyState, now int64) {
	k.dirty, k.processing, k.takenAt, k.place = false, true, now, uint32(len(t.busy))
	t.busy = append(t.busy, slot)
}

// letGo takes a key out of busy, where hold had put it at place.
func (t *keyTable[T]) letGo(k *keyState, place uint32) {
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

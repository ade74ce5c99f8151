package cache

import (
	"hash/maphash"
	"sync/atomic"
	"unsafe"

	"vedette.dev/internal/fresh"
)

// keyTable finds entries by their keys. One goroutine at a time writes to it. Others may look for keys meanwhile: what they
// read is whole, but may be of two states, so that they have to find out whether anything was written; see table.get. That is
// why it is no Go map.
//
// It is a hash table with open addressing, which gives its memory back when most entries are gone.
type keyTable struct {
	seed  maphash.Seed
	slots atomic.Pointer[[]keySlot] // their number is a power of two
	n     int
	peak  int // the most entries since slots was made
}

// keySlot is a place for an entry, with the hash of its key, so that few entries are looked at in vain.
type keySlot struct {
	hash atomic.Uint32
	e    atomic.Pointer[entry]
}

const (
	fewSlots = 8
	// At most fullest of fullestOf slots are taken.
	fullest, fullestOf = 3, 4
)

func newKeyTable(room int) *keyTable {
	k := &keyTable{seed: maphash.MakeSeed()}
	k.makeSlots(room)
	return k
}

// makeSlots makes empty slots for so many entries.
func (k *keyTable) makeSlots(room int) []keySlot {
	size := fewSlots
	for size*fullest/fullestOf < room {
		size *= 2
	}
	slots := fresh.Slice[keySlot](size)
	k.slots.Store(&slots)
	return slots
}

func (k *keyTable) hash(key string) uint32 { return uint32(maphash.String(k.seed, key)) }

// find returns the entry of a key, or nil.
func (k *keyTable) find(key string) *entry {
	slots, hash := *k.slots.Load(), k.hash(key)
	mask := uint32(len(slots) - 1)
	at := hash & mask
	for range slots { // there is always an empty one, but not to those who read while it is written
		s := &slots[at]
		e := s.e.Load()
		if e == nil {
			return nil
		}
		if s.hash.Load() == hash && e.key == key {
			return e
		}
		at = (at + 1) & mask
	}
	return nil
}

// add adds an entry whose key is not there.
func (k *keyTable) add(e *entry) {
	slots := *k.slots.Load()
	if k.n++; k.n > len(slots)*fullest/fullestOf {
		slots = k.rebuild(k.n)
	}
	k.peak = max(k.peak, k.n)
	place(slots, k.hash(e.key), e)
}

// place puts an entry into the first slot that is free.
func place(slots []keySlot, hash uint32, e *entry) {
	mask := uint32(len(slots) - 1)
	at := hash & mask
	for slots[at].e.Load() != nil {
		at = (at + 1) & mask
	}
	slots[at].hash.Store(hash)
	slots[at].e.Store(e)
}

// rebuild makes slots for so many entries, with those that are there.
func (k *keyTable) rebuild(room int) []keySlot {
	old := *k.slots.Load()
	slots := k.makeSlots(room)
	for i := range old {
		if e := old[i].e.Load(); e != nil {
			place(slots, old[i].hash.Load(), e)
		}
	}
	return slots
}

// remove takes out an entry that is there. Those behind it that could not stand where they belong move up, so that no hole is
// in their way.
func (k *keyTable) remove(e *entry) {
	slots := *k.slots.Load()
	mask := uint32(len(slots) - 1)
	hole := k.hash(e.key) & mask
	for slots[hole].e.Load() != e {
		hole = (hole + 1) & mask
	}
	for at := (hole + 1) & mask; slots[at].e.Load() != nil; at = (at + 1) & mask {
		hash := slots[at].hash.Load()
		if wanted := hash & mask; (at-wanted)&mask >= (at-hole)&mask {
			slots[hole].hash.Store(hash)
			slots[hole].e.Store(slots[at].e.Load())
			hole = at
		}
	}
	slots[hole].e.Store(nil)
	k.n--
	if k.peak >= shrinkFrom && k.n < k.peak/shrinkBelow {
		k.rebuild(k.n)
		k.peak = k.n
	}
}

// all calls f for each entry.
func (k *keyTable) all(f func(e *entry)) {
	slots := *k.slots.Load()
	for i := range slots {
		if e := slots[i].e.Load(); e != nil {
			f(e)
		}
	}
}

// box holds an object that some read while another writes it. An interface has two words, of which each is read and written
// for itself; those who have read both must not make an object of them before they know that they belong together.
type box struct{ typ, data unsafe.Pointer }

// boxed is an interface in memory.
type boxed [2]unsafe.Pointer

func (b *box) set(obj any) {
	w := (*boxed)(unsafe.Pointer(&obj))
	atomic.StorePointer(&b.typ, w[0])
	atomic.StorePointer(&b.data, w[1])
}

func (b *box) read() boxed { return boxed{atomic.LoadPointer(&b.typ), atomic.LoadPointer(&b.data)} }

// object makes one of two words that belong together.
func (w boxed) object() any { return *(*any)(unsafe.Pointer(&w)) }

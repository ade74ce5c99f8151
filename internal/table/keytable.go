package table

import (
	"hash/maphash"
	"sync/atomic"

	"vedette.dev/internal/shrink"
)

// keyTable finds entries by their keys. It is a hash table with open addressing and linear probing, which gives its memory
// back when most entries are gone.
//
// One goroutine at a time writes to it, and others may look up keys meanwhile, which a Go map does not allow. Each word that
// they read is whole, but two words may belong to two states: the reader must ask the seqlock of the table whether anything
// was written.
type keyTable struct {
	seed  maphash.Seed
	slots atomic.Pointer[[]keySlot] // Invariant: the length is a power of two.
	n     int
	peak  shrink.Peak
}

// keySlot is a slot for an entry, with the hash of its key, so that few other entries have to be looked at.
type keySlot struct {
	hash atomic.Uint32
	e    atomic.Pointer[entry]
}

const (
	minSlots = 8
	// At most maxLoad of maxLoadOf slots are in use.
	maxLoad, maxLoadOf = 3, 4
)

// newKeyTable returns an empty table with room for n entries.
func newKeyTable(n int) *keyTable {
	k := &keyTable{seed: maphash.MakeSeed()}
	k.makeSlots(n)
	return k
}

// makeSlots replaces the slots by empty ones for n entries.
func (k *keyTable) makeSlots(n int) []keySlot {
	size := minSlots
	for size*maxLoad/maxLoadOf < n {
		size *= 2
	}
	slots := mapped[keySlot](size)
	k.slots.Store(&slots)
	return slots
}

func (k *keyTable) hash(key string) uint32 { return uint32(maphash.String(k.seed, key)) }

// find returns the entry of a key, or nil.
func (k *keyTable) find(key string) *entry {
	slots, hash := *k.slots.Load(), k.hash(key)
	mask := uint32(len(slots) - 1)
	at := hash & mask
	for range slots { // bounded: a reader beside a writer may not meet the slot that is empty
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

// add adds an entry whose key is not in the table.
func (k *keyTable) add(e *entry) {
	slots := *k.slots.Load()
	if k.n++; k.n > len(slots)*maxLoad/maxLoadOf {
		slots = k.rebuild(k.n)
	}
	k.peak.Grow(k.n)
	insert(slots, k.hash(e.key), e)
}

// insert stores an entry in the first empty slot from the one that its hash names.
func insert(slots []keySlot, hash uint32, e *entry) {
	mask := uint32(len(slots) - 1)
	at := hash & mask
	for slots[at].e.Load() != nil {
		at = (at + 1) & mask
	}
	slots[at].hash.Store(hash)
	slots[at].e.Store(e)
}

// rebuild moves all entries to new slots, which have room for n entries.
func (k *keyTable) rebuild(n int) []keySlot {
	old := *k.slots.Load()
	slots := k.makeSlots(n)
	for i := range old {
		if e := old[i].e.Load(); e != nil {
			insert(slots, old[i].hash.Load(), e)
		}
	}
	return slots
}

// remove removes an entry that is in the table. Entries behind it are moved up where a hole would keep them from being
// found.
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
	if k.peak.Due(k.n) {
		k.rebuild(k.n)
		k.peak.Reset(k.n)
	}
}

// each calls f for each entry.
func (k *keyTable) each(f func(e *entry)) {
	slots := *k.slots.Load()
	for i := range slots {
		if e := slots[i].e.Load(); e != nil {
			f(e)
		}
	}
}

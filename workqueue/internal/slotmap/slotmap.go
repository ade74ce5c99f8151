// Package slotmap is a hash map whose entries live in numbered slots.
//
// It exists for the work queues, which need four things at once that a Go map does not give:
//
//   - a small, stable number for a key (its slot), so that queues and heaps hold 4 bytes and no pointers;
//   - one hash computation and one probe for a look-up that is followed by an insert or a removal;
//   - no allocation while keys come and go within a size seen before;
//   - memory that is freed when the keys go.
//
// A Map is not safe for concurrent use.
package slotmap

// Map maps K to V. The zero value is an empty map that keeps room for a few dozen keys once it had them.
//
// Entries lie in segments (see segments.go), so that growth never copies an entry and a pointer to one stays good until
// the entry is removed. New keys take the lowest segment with room, which lets the highest run empty.
type Map[K comparable, V any] struct {
	// Invariant: index holds exactly the slots that are in use.
	index index
	segs  []segment[K, V]
	open  openSet
	live  int
	// keep is the number of segments that are held even when they are empty.
	keep int
}

// Entry is a key with its value. The pointer that Find, Ensure and At return is good until the entry is removed.
type Entry[K comparable, V any] struct {
	Key  K
	Val  V
	hash uint32
	// next is, in a free slot, the next free slot of the segment plus one; else liveMark.
	next uint32
}

const liveMark = ^uint32(0)

type segment[K comparable, V any] struct {
	entries []Entry[K, V]
	free    uint32 // head of the list of slots that were used and given back, plus one
	used    uint32 // slots from here on were never used
	taken   uint32 // slots that are in use
}

// defaultKeep is the number of segments that the zero value holds on to.
const defaultKeep = 3

// New returns a map that holds on to the memory of up to keep entries when they are removed, so that a load that comes
// and goes within that size allocates nothing.
func New[K comparable, V any](keep int) Map[K, V] {
	m := Map[K, V]{keep: 1}
	for base(m.keep) < keep {
		m.keep++
	}
	m.index.floor = 2 * base(m.keep)
	return m
}

// Len is the number of entries.
func (m *Map[K, V]) Len() int { return m.live }

// At returns the entry in a slot that is in use.
func (m *Map[K, V]) At(slot uint32) *Entry[K, V] {
	seg, off := locate(slot)
	return &m.segs[seg].entries[off]
}

// Peek returns the entry in any slot, or nil if it is not in use.
func (m *Map[K, V]) Peek(slot uint32) *Entry[K, V] {
	seg, off := locate(slot)
	if seg >= len(m.segs) {
		return nil
	}
	if e := &m.segs[seg].entries[off]; e.next == liveMark {
		return e
	}
	return nil
}

// Hash is the hash that the entry was made with, as far as the map looks at it: good for a map with the same Hasher.
func (e *Entry[K, V]) Hash() uint64 { return uint64(e.hash) }

// Find looks a key up by its hash, which must come from the same Hasher for all keys of the map.
func (m *Map[K, V]) Find(hash uint64, key K) (slot uint32, e *Entry[K, V], ok bool) {
	h := uint32(hash)
	cells := m.index.cells
	mask := uint32(len(cells) - 1)
	for i := h & mask; int(i) < len(cells); i = (i + 1) & mask {
		c := cells[i]
		if c.slot == 0 {
			break
		}
		if c.hash == h {
			if e := m.At(c.slot - 1); e.Key == key {
				return c.slot - 1, e, true
			}
		}
	}
	return 0, nil, false
}

// Ensure looks a key up and adds it, with a zero value, if it is not known.
func (m *Map[K, V]) Ensure(hash uint64, key K) (slot uint32, e *Entry[K, V], known bool) {
	if slot, e, known = m.Find(hash, key); known {
		return slot, e, true
	}
	slot = m.take()
	e = m.At(slot)
	e.Key, e.hash, e.next = key, uint32(hash), liveMark
	m.index.add(e.hash, slot)
	m.live++
	return slot, e, false
}

// Remove frees a slot that is in use.
func (m *Map[K, V]) Remove(slot uint32) {
	m.live--
	m.index.remove(m.At(slot).hash, slot)
	m.give(slot)
	m.shrink()
}

// Range calls visit for each entry in the slots from up to but not including to, in slot order, and reports whether
// there are slots beyond. The map must not change meanwhile.
func (m *Map[K, V]) Range(from, to uint32, visit func(slot uint32, e *Entry[K, V])) (more bool) {
	end := uint32(base(len(m.segs)))
	for slot := from; slot < min(to, end); slot++ {
		seg, off := locate(slot)
		if s := &m.segs[seg]; off >= s.used {
			slot = uint32(base(seg+1)) - 1 // the rest of the segment was never used
		} else if e := &s.entries[off]; e.next == liveMark {
			visit(slot, e)
		}
	}
	return to < end
}

// take returns a free slot of the lowest segment that has one.
func (m *Map[K, V]) take() uint32 {
	i, ok := m.open.first()
	if !ok {
		i = len(m.segs)
		m.segs = append(m.segs, segment[K, V]{entries: make([]Entry[K, V], size(i))})
		m.open.add(i)
	}
	s := &m.segs[i]
	off := s.used
	if s.free != 0 {
		off = s.free - 1
		s.free = s.entries[off].next
	} else {
		s.used++
	}
	if s.taken++; int(s.taken) == len(s.entries) {
		m.open.remove(i)
	}
	return uint32(base(i)) + off
}

// give clears a slot, so that the collector sees nothing in it, and puts it on the free list of its segment.
func (m *Map[K, V]) give(slot uint32) {
	i, off := locate(slot)
	s := &m.segs[i]
	s.entries[off] = Entry[K, V]{next: s.free}
	s.free = off + 1
	s.taken--
	m.open.add(i)
}

// shrink gives back the highest segments while they are empty and half of those below would do: a size that swings must
// not allocate again and again.
func (m *Map[K, V]) shrink() {
	keep := m.keep
	if keep == 0 {
		keep = defaultKeep
	}
	for n := len(m.segs) - 1; n >= keep && m.segs[n].taken == 0 && m.live <= base(n)/2; n-- {
		m.segs[n] = segment[K, V]{}
		m.segs = m.segs[:n]
		m.open.remove(n)
	}
}

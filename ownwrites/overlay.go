package ownwrites

import (
	"hash/maphash"
	"iter"
	"maps"
	"math/bits"
	"sync"
	"sync/atomic"
)

// layers is the number of parts of an overlay. A write copies one of them.
const layers = 256

// overlay is the set of entries. It is read without a lock: each part is an immutable map that is replaced as a whole.
// A reader that loads the parts before it reads the store therefore has every entry that was not settled by then.
type overlay struct {
	seed  maphash.Seed
	count atomic.Int64
	parts [layers]part
}

type part struct {
	mu sync.Mutex // held by writers
	m  atomic.Pointer[map[ident]*entry]
}

func newOverlay() *overlay { return &overlay{seed: maphash.MakeSeed()} }

// empty reports whether there is nothing to add to the store. Usually this is the whole cost of a read.
func (o *overlay) empty() bool { return o.count.Load() == 0 }

func (o *overlay) part(id ident) int {
	h := maphash.String(o.seed, id.Name) + bits.RotateLeft64(maphash.String(o.seed, id.Namespace), 1)
	return int(h % layers)
}

func (o *overlay) get(id ident) *entry {
	m := o.parts[o.part(id)].m.Load()
	if m == nil {
		return nil
	}
	return (*m)[id]
}

// change replaces an entry by the result of next; nil means no entry. It returns both. next is called under a lock, and
// must not call the overlay.
func (o *overlay) change(id ident, next func(old *entry) *entry) (before, after *entry) {
	p := &o.parts[o.part(id)]
	p.mu.Lock()
	defer p.mu.Unlock()
	var m map[ident]*entry
	if old := p.m.Load(); old != nil {
		m = *old
	}
	before = m[id]
	after = next(before)
	if before == after {
		return before, after
	}
	p.m.Store(with(m, id, after))
	switch {
	case before == nil:
		o.count.Add(1)
	case after == nil:
		o.count.Add(-1)
	}
	return before, after
}

// with returns a copy of a map with one entry replaced.
func with(m map[ident]*entry, id ident, e *entry) *map[ident]*entry {
	if e == nil && len(m) <= 1 {
		return nil
	}
	out := make(map[ident]*entry, len(m)+1)
	maps.Copy(out, m)
	if e == nil {
		delete(out, id)
	} else {
		out[id] = e
	}
	return &out
}

// clear removes all entries.
func (o *overlay) clear() {
	for i := range o.parts {
		p := &o.parts[i]
		p.mu.Lock()
		if m := p.m.Swap(nil); m != nil {
			o.count.Add(-int64(len(*m)))
		}
		p.mu.Unlock()
	}
}

// snapshot is a snapshot of the entries: consistent within each part, but not across parts.
type snapshot struct {
	of    *overlay
	parts [layers]*map[ident]*entry
}

func (o *overlay) snapshot() *snapshot {
	s := &snapshot{of: o}
	for i := range o.parts {
		s.parts[i] = o.parts[i].m.Load()
	}
	return s
}

func (s *snapshot) get(id ident) *entry {
	m := s.parts[s.of.part(id)]
	if m == nil {
		return nil
	}
	return (*m)[id]
}

func (s *snapshot) has(id ident) bool { return s.get(id) != nil }

func (s *snapshot) all() iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for _, m := range s.parts {
			if m == nil {
				continue
			}
			for _, e := range *m {
				if !yield(e) {
					return
				}
			}
		}
	}
}

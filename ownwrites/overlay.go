package ownwrites

import (
	"hash/maphash"
	"iter"
	"maps"
	"math/bits"
	"sync"
	"sync/atomic"
)

// layers is how many parts an overlay has. A write copies one of them.
const layers = 256

// overlay is the entries, by identity. It is read without a lock: each part is a map that never changes, and has another put in
// its place. So whoever took the parts before reading the store has every entry that was not settled by then.
type overlay struct {
	seed  maphash.Seed
	count atomic.Int64
	parts [layers]part
}

type part struct {
	mu sync.Mutex // held by who changes it
	m  atomic.Pointer[map[ident]*entry]
}

func newOverlay() *overlay { return &overlay{seed: maphash.MakeSeed()} }

// empty tells that there is nothing to add to the store. It is all that a read costs as a rule.
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

// change puts what next makes of an entry in its place; nil means none. It returns both. next is called under a lock, and
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

// with returns a copy of a map in which another entry is under an identity.
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

// clear takes out everything.
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

// snapshot is the entries as they were when it was taken: each part at one moment, and not all at the same.
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

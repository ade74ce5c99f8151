// Package intern finds equal strings and parts of objects that came before, so that a decoder stores them once.
//
//   - [Cache] is a set-associative cache of bounded size, without a lock.
//   - [HitRate] samples how often a field has a value that came before, and so decides whether to look.
package intern

import "sync/atomic"

// Cache has the values that came last. It grows with their number, up to Most sets. A goroutine that looks for a value that another
// one puts there at the same time may find it or not.
type Cache[T any] struct {
	Most  int // a power of two
	table atomic.Pointer[[]Set[T]]
	// missed is how much was put there since it has grown.
	missed atomic.Int64
}

// Set is the slots that a value with a certain hash may be in.
type Set[T any] [2]atomic.Pointer[T]

const first = 64

// At is where a thing with a hash is, if it is there.
func (s *Cache[T]) At(hash uint64) *Set[T] {
	table := s.table.Load()
	if table == nil {
		table = s.grow(nil, first)
	}
	return &(*table)[hash&uint64(len(*table)-1)]
}

// Put puts a thing where At said. What came last pushes out what came before, which pushes out the other.
func (s *Cache[T]) Put(slots *Set[T], thing *T) {
	slots[1].Store(slots[0].Load())
	slots[0].Store(thing)
	table := s.table.Load()
	// It grows early: what differs in each object is put here as well, and would push out the rest.
	if n := len(*table); s.missed.Add(1) > int64(n/2) && n < s.Most {
		s.missed.Store(0)
		s.grow(table, 4*n)
	}
}

// Size is how many places there are now.
func (s *Cache[T]) Size() int {
	if table := s.table.Load(); table != nil {
		return len(*table)
	}
	return 0
}

// grow makes a larger table, which is empty.
func (s *Cache[T]) grow(old *[]Set[T], n int) *[]Set[T] {
	table := make([]Set[T], min(n, s.Most))
	s.table.CompareAndSwap(old, &table)
	return s.table.Load()
}

// Clear lets go of everything.
func (s *Cache[T]) Clear() {
	table := make([]Set[T], min(first, s.Most))
	s.table.Store(&table)
	s.missed.Store(0)
}

// HitRate is how often it was worth looking whether others have the same in some place. Where it is not, only those objects are
// looked at by which that is judged.
type HitRate struct{ looks, hits atomic.Uint32 }

const (
	// worthFirst is how many looks it takes to say anything. After worthMost looks, the older ones count half.
	worthFirst, worthMost = 64, 1 << 12
)

// Look tells whether to look, if one look in so many must be worth it.
func (w *HitRate) Look(oneIn uint32, judging bool) bool {
	if !judging {
		n := w.looks.Load()
		return n < worthFirst || w.hits.Load() >= n/oneIn
	}
	if w.looks.Add(1) == worthMost {
		w.looks.Store(worthMost / 2)
		w.hits.Store(w.hits.Load() / 2)
	}
	return true
}

// Looks is how often it was looked in order to judge, of late.
func (w *HitRate) Looks() int { return int(w.looks.Load()) }

// Hit says that it was worth it.
func (w *HitRate) Hit(judging bool) {
	if judging {
		w.hits.Add(1)
	}
}

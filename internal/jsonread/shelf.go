package jsonread

import "sync/atomic"

// shelf is a table of the things that came last. It grows with their number, up to a limit. Whoever finds something another
// puts there at the same time, or does not: both are right.
type shelf[T any] struct {
	most  int
	table atomic.Pointer[[]ways[T]]
	// missed is how much was put there since it has grown.
	missed atomic.Int64
}

// ways are the slots that a thing may be in.
type ways[T any] [2]atomic.Pointer[T]

const firstShelf = 64

func (s *shelf[T]) at(hash uint64) *ways[T] {
	table := s.table.Load()
	if table == nil {
		table = s.grow(nil, firstShelf)
	}
	return &(*table)[hash&uint64(len(*table)-1)]
}

func (s *shelf[T]) put(slots *ways[T], thing *T) {
	// What came last pushes out what came before, which pushes out the other.
	slots[1].Store(slots[0].Load())
	slots[0].Store(thing)
	table := s.table.Load()
	// It grows early: what differs in each object is put here as well, and would push out the rest.
	if n := len(*table); s.missed.Add(1) > int64(n/2) && n < s.most {
		s.missed.Store(0)
		s.grow(table, 4*n)
	}
}

// grow makes a larger table, which is empty.
func (s *shelf[T]) grow(old *[]ways[T], n int) *[]ways[T] {
	table := make([]ways[T], min(n, s.most))
	s.table.CompareAndSwap(old, &table)
	return s.table.Load()
}

// worth is how often it was worth looking whether others have the same at a place. Where it is not, only those objects are
// looked at by which that is judged.
type worth struct{ looks, hits atomic.Uint32 }

const (
	// worthFirst is how many looks it takes to say anything of a place. After worthMost looks, the older ones count half.
	worthFirst, worthMost = 64, 1 << 12
	// One look in so many must be worth it.
	stringWorth, treeWorth = 4, 16
)

func (w *worth) look(oneIn uint32, judging bool) bool {
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

func (w *worth) hit(judging bool) {
	if judging {
		w.hits.Add(1)
	}
}

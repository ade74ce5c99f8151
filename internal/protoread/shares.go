package protoread

import (
	"hash/maphash"
	"sync/atomic"
	"unsafe"
)

// Shares is what objects have in common that were decoded with the same plan. It holds a bounded number of strings and other
// parts of them, those that came last; what is not in there any more is decoded once more, and no harm is done. It can be
// used by many at once.
type Shares struct {
	// Trees says that lists, maps and sub-messages are shared, too, and not only strings. Nobody may change them then.
	Trees bool

	seeds   [2]maphash.Seed
	strings shelf[string]
	trees   shelf[tree]
	worth   []worth // by the number of the field
	objects atomic.Uint32
}

// tree is a part of an object: what a pointer, a map or a list points to. It is known by 128 bits of a hash of its bytes, whose
// seeds nobody outside of the process knows.
type tree struct {
	hashes [2]uint64
	p      unsafe.Pointer
}

const (
	mostStrings = 1 << 13
	mostTrees   = 1 << 15
	// smallestTree is the shortest run of bytes that is worth it, and longestString the longest string.
	smallestTree  = 16
	longestString = 96
)

// NewShares returns shares for objects of a plan.
func (p *Plan) NewShares(trees bool) *Shares {
	s := &Shares{Trees: trees, worth: make([]worth, p.fields)}
	for i := range s.seeds {
		s.seeds[i] = maphash.MakeSeed()
	}
	s.strings.most, s.trees.most = mostStrings, mostTrees
	return s
}

// judging tells whether the object that is decoded now is one of those by which it is judged what is worth looking for:
// the first ones, and then one of many.
func (s *Shares) judging() bool {
	if s == nil {
		return false
	}
	n := s.objects.Add(1)
	return n < judgedFirst || n%judgedRest == 0
}

const judgedFirst, judgedRest = 256, 64

// string returns the string that others have as well, or false if it is not worth looking.
func (s *Shares) string(f *field, b []byte, judging bool) (string, bool) {
	if len(b) > longestString {
		return "", false
	}
	w := &s.worth[f.id]
	if !w.look(stringWorth, judging) {
		return "", false
	}
	slots := s.strings.at(maphash.Bytes(s.seeds[0], b))
	for i := range slots {
		if known := slots[i].Load(); known != nil && *known == string(b) {
			w.hit(judging)
			return *known, true
		}
	}
	text := string(b)
	s.strings.put(slots, &text)
	return text, true
}

// worthLooking tells whether a part of an object may be known. Shares may be nil.
func (s *Shares) worthLooking(f *field, b []byte, judging bool) bool {
	return s != nil && s.Trees && len(b) >= smallestTree && s.worth[f.id].look(treeWorth, judging)
}

// find returns a part of another object with the same bytes, or where it can be kept when it is there.
func (s *Shares) find(f *field, b []byte, judging bool) (unsafe.Pointer, place) {
	id := uint64(f.id) * 0x9e3779b97f4a7c15
	hashes := [2]uint64{maphash.Bytes(s.seeds[0], b) ^ id, maphash.Bytes(s.seeds[1], b) ^ id}
	slots := s.trees.at(hashes[0])
	for i := range slots {
		if known := slots[i].Load(); known != nil && known.hashes == hashes {
			s.worth[f.id].hit(judging)
			return known.p, place{}
		}
	}
	return nil, place{s, slots, hashes}
}

// place is where a part of an object can be kept.
type place struct {
	shares *Shares
	slots  *ways[tree]
	hashes [2]uint64
}

func (p place) keep(at unsafe.Pointer) { p.shares.trees.put(p.slots, &tree{p.hashes, at}) }

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
	if n := len(*table); s.missed.Add(1) > int64(2*n) && n < s.most {
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

// worth is how often it was worth looking whether others have the same in a field. Where it is not, only those objects are
// looked at by which that is judged.
type worth struct{ looks, hits atomic.Uint32 }

const (
	// worthFirst is how many looks it takes to say anything of a field. After worthMost looks, the older ones count half.
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

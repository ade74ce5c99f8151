package protoread

import (
	"hash/maphash"
	"sync/atomic"
	"unsafe"

	"vedette.dev/internal/shelf"
)

// Shares is what objects have in common that were decoded with the same plan. It holds a bounded number of strings and other
// parts of them, those that came last; what is not in there any more is decoded once more, and no harm is done. It can be
// used by many at once.
type Shares struct {
	// Trees says that lists, maps and sub-messages are shared, too, and not only strings. Nobody may change them then.
	Trees bool

	seeds   [2]maphash.Seed
	strings shelf.Shelf[string]
	trees   shelf.Shelf[tree]
	worth   []shelf.Worth // by the number of the field
	objects atomic.Uint32
}

// hashes are 128 bits of a hash of the bytes of a field, whose seeds nobody outside of the process knows.
type hashes [2]uint64

func (s *Shares) hash(f *field, b []byte) hashes {
	id := uint64(f.id+1) * 0x9e3779b97f4a7c15
	return hashes{maphash.Bytes(s.seeds[0], b) ^ id, maphash.Bytes(s.seeds[1], b) ^ id}
}

// tree is a part of an object: what a pointer, a map or a list points to. It is known by the hashes of its bytes.
type tree struct {
	hashes hashes
	p      unsafe.Pointer
}

const (
	mostStrings = 1 << 13
	mostTrees   = 1 << 17
	// smallestTree is the shortest run of bytes that is worth it, and longestString the longest string.
	smallestTree  = 16
	longestString = 96
	// One look in so many must be worth it.
	stringWorth, treeWorth = 4, 16
)

// NewShares returns shares for objects of a plan.
func (p *Plan) NewShares(trees bool) *Shares {
	s := &Shares{Trees: trees, worth: make([]shelf.Worth, p.fields)}
	for i := range s.seeds {
		s.seeds[i] = maphash.MakeSeed()
	}
	s.strings.Most, s.trees.Most = mostStrings, mostTrees
	return s
}

// Forget lets go of everything. Shares may be nil.
func (s *Shares) Forget() {
	if s != nil {
		s.strings.Clear()
		s.trees.Clear()
	}
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
	if !w.Look(stringWorth, judging) {
		return "", false
	}
	slots := s.strings.At(maphash.Bytes(s.seeds[0], b))
	for i := range slots {
		if known := slots[i].Load(); known != nil && *known == string(b) {
			w.Hit(judging)
			return *known, true
		}
	}
	text := string(b)
	s.strings.Put(slots, &text)
	return text, true
}

// worthLooking tells whether a part of an object may be known. Shares may be nil.
func (s *Shares) worthLooking(f *field, b []byte, judging bool) bool {
	return s != nil && s.Trees && len(b) >= smallestTree && s.worth[f.id].Look(treeWorth, judging)
}

// find returns a part of another object with the same bytes, or where it can be kept when it is there.
func (s *Shares) find(f *field, b []byte, judging bool) (unsafe.Pointer, place) {
	hashes := s.hash(f, b)
	slots := s.trees.At(hashes[0])
	for i := range slots {
		if known := slots[i].Load(); known != nil && known.hashes == hashes {
			s.worth[f.id].Hit(judging)
			return known.p, place{}
		}
	}
	return nil, place{s, slots, hashes}
}

// place is where a part of an object can be kept.
type place struct {
	shares *Shares
	slots  *shelf.Ways[tree]
	hashes hashes
}

func (p place) keep(at unsafe.Pointer) { p.shares.trees.Put(p.slots, &tree{p.hashes, at}) }

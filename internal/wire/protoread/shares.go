package protoread

import (
	"hash/maphash"
	"sync/atomic"
	"unsafe"

	"vedette.dev/internal/wire/intern"
)

// Shares is what objects have in common that were decoded with the same plan: strings, the text of managed fields and, if wanted,
// lists, maps and sub-messages. It holds a bounded number of them, those that came last; what is not in there any more is decoded
// once more, and no harm is done. It can be used by many at once.
type Shares struct {
	parts, loose bool

	seed    maphash.Seed
	strings intern.Cache[string]
	raws    intern.Cache[string]
	trees   intern.Cache[tree]
	worth   []intern.HitRate // by the number of the field
	objects atomic.Uint32
}

// Sharing says what objects may have in common.
type Sharing struct {
	// Parts says that lists, maps and sub-messages are shared, and not only what cannot be written to. Who writes to one of
	// these changes several objects; objects that are decoded later do not get it.
	Parts bool
	// Loose says that the objects may be changed before they are stored. So no two parts of one are the same in memory.
	Loose bool
}

// tree is a part of an object: what a pointer, a map or a list of n points to. It is found by a hash of its bytes, whose seed is not
// known outside of the process, and compared with them before it is used.
type tree struct {
	hash  uint64
	field uint32
	n     int
	p     unsafe.Pointer
}

const (
	mostStrings = 1 << 13
	mostRaws    = 1 << 12
	mostTrees   = 1 << 17
	// smallestTree is the shortest run of bytes that is worth it, longestString the longest string, and longestRaw the
	// longest text of managed fields.
	smallestTree  = 16
	longestString = 96
	longestRaw    = 4 << 10
	// One look in so many must be worth it.
	stringWorth, treeWorth = 4, 16
)

// NewShares returns shares for objects of a plan.
func (p *Plan) NewShares(what Sharing) *Shares {
	s := &Shares{parts: what.Parts, loose: what.Loose, seed: maphash.MakeSeed(), worth: make([]intern.HitRate, p.fields)}
	s.strings.Most, s.raws.Most, s.trees.Most = mostStrings, mostRaws, mostTrees
	return s
}

// Forget lets go of everything. Shares may be nil.
func (s *Shares) Forget() {
	if s != nil {
		s.strings.Clear()
		s.raws.Clear()
		s.trees.Clear()
	}
}

// judging reports whether the object that is decoded now is one of those by which it is judged what is worth looking for:
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
	slots := s.strings.At(maphash.Bytes(s.seed, b))
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

// raw returns the bytes that others have as well, or nil if they are too many.
func (s *Shares) raw(b []byte) []byte {
	if len(b) == 0 || len(b) > longestRaw {
		return nil
	}
	slots := s.raws.At(maphash.Bytes(s.seed, b))
	for i := range slots {
		if known := slots[i].Load(); known != nil && *known == string(b) {
			return unsafe.Slice(unsafe.StringData(*known), len(b))
		}
	}
	text := string(b)
	s.raws.Put(slots, &text)
	return unsafe.Slice(unsafe.StringData(text), len(b))
}

// worthLooking reports whether a part of an object may be known. Shares may be nil.
func (s *Shares) worthLooking(f *field, b []byte, judging bool) bool {
	return s != nil && s.parts && len(b) >= smallestTree && s.worth[f.id].Look(treeWorth, judging)
}

// find returns a part of another object that is what the bytes say, or where it can be kept when it is there. A part that was
// written to is not what they say.
func (s *Shares) find(f *field, data, whole []byte, n int, judging bool) (unsafe.Pointer, place) {
	hash := maphash.Bytes(s.seed, whole)
	slots := s.trees.At(hash + uint64(f.id)*0x9e3779b97f4a7c15)
	for i := range slots {
		known := slots[i].Load()
		if known == nil || known.hash != hash || known.field != f.id || known.n != n {
			continue
		}
		var have list // as the field has it
		f.set(unsafe.Pointer(&have), known.p, n)
		if f.same(unsafe.Pointer(&have), data, whole, n) {
			s.worth[f.id].Hit(judging)
			return known.p, place{}
		}
	}
	return nil, place{s, slots, tree{hash: hash, field: f.id, n: n}}
}

// place is where a part of an object can be kept.
type place struct {
	shares *Shares
	slots  *intern.Set[tree]
	tree   tree
}

func (p place) keep(at unsafe.Pointer) {
	t := p.tree
	t.p = at
	p.shares.trees.Put(p.slots, &t)
}

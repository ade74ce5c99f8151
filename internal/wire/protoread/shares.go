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
	parts, mutable bool

	seed     maphash.Seed
	strings  intern.Cache[string]
	raws     intern.Cache[string]
	trees    intern.Cache[tree]
	hitRates []intern.HitRate // by the number of the field
	objects  atomic.Uint32
}

// Sharing configures what objects share.
type Sharing struct {
	// Parts means that lists, maps and sub-messages are shared, and not only immutable values. A write to one of these
	// changes several objects; objects that are decoded later are not affected.
	Parts bool
	// Mutable means that the objects may be modified before they are stored. So no two parts of one object share memory.
	Mutable bool
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
	// smallestTree is the length of the shortest part that is looked up, longestString that of the longest string, and longestRaw that of
	// the longest text of managed fields.
	smallestTree  = 16
	longestString = 96
	longestRaw    = 4 << 10
	// One look-up in so many must be a hit.
	stringHits, treeHits = 4, 16
)

// NewShares returns shares for objects of a plan.
func (p *Plan) NewShares(what Sharing) *Shares {
	s := &Shares{parts: what.Parts, mutable: what.Mutable, seed: maphash.MakeSeed(), hitRates: make([]intern.HitRate, p.fields)}
	s.strings.MaxSets, s.raws.MaxSets, s.trees.MaxSets = mostStrings, mostRaws, mostTrees
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

// sampled reports whether the object that is decoded now is one of those on which hit rates are measured: the first ones, and then one in
// sampleInterval.
func (s *Shares) sampled() bool {
	if s == nil {
		return false
	}
	n := s.objects.Add(1)
	return n < sampledFirst || n%sampleInterval == 0
}

const sampledFirst, sampleInterval = 256, 64

// string returns the string that others have as well, or false if it is not looked up.
func (s *Shares) string(f *field, b []byte, sampled bool) (string, bool) {
	if len(b) > longestString {
		return "", false
	}
	rate := &s.hitRates[f.id]
	if !rate.ShouldLookUp(stringHits, sampled) {
		return "", false
	}
	slots := s.strings.At(maphash.Bytes(s.seed, b))
	for i := range slots {
		if known := slots[i].Load(); known != nil && *known == string(b) {
			rate.Hit(sampled)
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

// shouldLookUp reports whether a part of an object is to be looked up. Shares may be nil.
func (s *Shares) shouldLookUp(f *field, b []byte, sampled bool) bool {
	return s != nil && s.parts && len(b) >= smallestTree && s.hitRates[f.id].ShouldLookUp(treeHits, sampled)
}

// find returns a part of another object that is what the bytes say, or where it can be kept when it is there. A part that was
// written to is not what they say.
func (s *Shares) find(f *field, data, whole []byte, n int, sampled bool) (unsafe.Pointer, place) {
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
			s.hitRates[f.id].Hit(sampled)
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

package cborread

import (
	"hash/maphash"
	"sync/atomic"

	"vedette.dev/internal/wire/intern"
)

// Shares is what objects of one kind have in common. It holds a bounded number of strings and other parts of them, those that
// came last. It can be used by many at once. Nil shares nothing.
type Shares struct {
	parts, mutable bool

	seed    maphash.Seed
	words   intern.Cache[any] // strings as values, which can be in several objects without a copy of their header
	trees   intern.Cache[tree]
	rates   [256]intern.HitRate // of strings, by the key that they are at
	objects atomic.Uint32
}

// tree is a map or a list in objects.
type tree struct {
	hash  uint64
	value any
}

const (
	mostWords, mostTrees = 1 << 13, 1 << 14
	// longestWord is the length of the longest string that is looked up.
	longestWord = 160
	// One look-up of a string in so many must be a hit.
	wordHits = 4

	sampledFirst, sampleInterval = 256, 64
)

// Sharing configures what objects share, as in package jsonread.
type Sharing struct {
	// Parts means that maps and lists in them are shared, and not only immutable values and the fields of managers.
	Parts bool
	// Mutable means that the objects may be modified before they are stored. So no two parts of one object share maps.
	Mutable bool
}

// NewShares returns shares for objects of one kind.
func NewShares(what Sharing) *Shares {
	s := &Shares{parts: what.Parts, mutable: what.Mutable, seed: maphash.MakeSeed()}
	s.words.MaxSets, s.trees.MaxSets = mostWords, mostTrees
	return s
}

// Forget lets go of everything. Shares may be nil.
func (s *Shares) Forget() {
	if s == nil {
		return
	}
	s.words.Clear()
	s.trees.Clear()
}

// sampled reports whether the object that is decoded now is one of those on which hit rates are measured.
func (s *Shares) sampled() bool {
	if s == nil {
		return false
	}
	n := s.objects.Add(1)
	return n < sampledFirst || n%sampleInterval == 0
}

func (s *Shares) hashOf(b []byte) uint64 { return maphash.Bytes(s.seed, b) }

// name returns the string of a key, and the number of its hit rate.
func (s *Shares) name(b []byte) (string, uint8) {
	hash := s.hashOf(b)
	if len(b) > longestWord {
		return string(b), uint8(hash)
	}
	v, _ := s.word(b, hash)
	return v.(string), uint8(hash)
}

// text returns a string as a value.
func (s *Shares) text(b []byte, in place, sampled bool) any {
	if s == nil || len(b) > longestWord {
		return string(b)
	}
	rate := &s.rates[in.rate]
	if !rate.ShouldLookUp(wordHits, sampled) {
		return string(b)
	}
	v, hit := s.word(b, s.hashOf(b))
	if hit {
		rate.Hit(sampled)
	}
	return v
}

// word returns the string that others have as well, and reports whether there were others.
func (s *Shares) word(b []byte, hash uint64) (any, bool) {
	slots := s.words.At(hash)
	for i := range slots {
		if known := slots[i].Load(); known != nil && (*known).(string) == string(b) {
			return *known, true
		}
	}
	var boxed any = string(b)
	s.words.Put(slots, &boxed)
	return boxed, false
}

// sharesTrees reports whether maps and lists at a place may be shared.
func (s *Shares) sharesTrees(in place) bool {
	return s != nil && (s.parts || in.managed && !s.mutable)
}

// tree returns a map or a list of another object that has this hash, or nil, and where to keep one. The caller compares it.
func (s *Shares) tree(hash uint64) (any, *intern.Set[tree]) {
	slots := s.trees.At(hash)
	for i := range slots {
		if known := slots[i].Load(); known != nil && known.hash == hash {
			return known.value, slots
		}
	}
	return nil, slots
}

func (s *Shares) keep(slots *intern.Set[tree], hash uint64, v any) {
	s.trees.Put(slots, &tree{hash, v})
}

// place is where a value is in an object, as far as that matters.
type place struct {
	level   uint8
	rate    uint8 // the number of the hit rate of strings
	managed bool  // in the fields of a manager
}

// How far a place is on the way to the fields of a manager.
const (
	elsewhereLevel = iota
	rootLevel
	metadataLevel // metadata
	entriesLevel  // metadata.managedFields
	entryLevel    // an element of these
)

func (p place) below(name string, rate uint8) place {
	out := place{rate: rate, managed: p.managed}
	switch {
	case p.level == rootLevel && name == "metadata":
		out.level = metadataLevel
	case p.level == metadataLevel && name == "managedFields":
		out.level = entriesLevel
	case p.level == entryLevel && name == "fieldsV1":
		out.managed = true
	}
	return out
}

func (p place) element() place {
	out := place{rate: p.rate, managed: p.managed}
	if p.level == entriesLevel {
		out.level = entryLevel
	}
	return out
}

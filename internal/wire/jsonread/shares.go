package jsonread

import (
	"hash/maphash"
	"sync/atomic"

	"vedette.dev/internal/wire/intern"
	"vedette.dev/internal/wire/jsonscan"
)

// Shares is what objects of one kind have in common. It holds a bounded number of strings and other parts of them, those that
// came last; what is not in there any more is decoded once more, and no harm is done. It can be used by many at once.
type Shares struct {
	trees, mutable bool

	seeds   [2]maphash.Seed
	words   intern.Cache[string]
	parts   [2]intern.Cache[part] // small and large ones
	root    place
	other   place // of all that has no place of its own
	places  atomic.Int32
	objects atomic.Uint32
}

// part is an object or a list in an object. It is identified by 128 bits of a hash of its text, whose seeds are not
// known outside of the process.
type part struct {
	hashes [2]uint64
	value  any
}

const (
	mostStrings = 1 << 13
	// There may be many small parts, and some large ones, so that it is known how much memory they may keep.
	mostSmall, mostLarge = 1 << 14, 1 << 11
	smallPart            = 512
	// longestString and largestPart are the lengths of the longest texts that are looked up. To find the end of a longer one
	// takes time, and there may be none.
	longestString = 160
	largestPart   = 8 << 10
)

// Sharing configures what objects share.
type Sharing struct {
	// Parts means that objects and lists in them are shared, and not only immutable values. A write to one of these
	// changes several objects; objects that are decoded later are not affected.
	Parts bool
	// Mutable means that the objects may be modified before they are stored. So no two parts of one object share
	// memory.
	Mutable bool
}

// NewShares returns shares for objects of one kind. The text of managed fields is shared in any case, unless
// Sharing.Mutable is set: it is a tree of names, which programs read and replace, but do not write to.
func NewShares(what Sharing) *Shares {
	s := &Shares{trees: what.Parts, mutable: what.Mutable}
	for i := range s.seeds {
		s.seeds[i] = maphash.MakeSeed()
	}
	s.words.MaxSets, s.parts[0].MaxSets, s.parts[1].MaxSets = mostStrings, mostSmall, mostLarge
	s.other.uniform = true
	s.root.level = rootLevel
	return s
}

// Forget lets go of everything but the places. Shares may be nil.
func (s *Shares) Forget() {
	if s == nil {
		return
	}
	s.words.Clear()
	for i := range s.parts {
		s.parts[i].Clear()
	}
}

// One look-up in so many must be a hit.
const stringHits, treeHits = 4, 16

// sampled reports whether the object that is decoded now is one of those on which hit rates are measured: the first ones, and then one in
// sampleInterval. Only these change anything at the places.
func (s *Shares) sampled() bool {
	if s == nil {
		return false
	}
	n := s.objects.Add(1)
	return n < sampledFirst || n%sampleInterval == 0
}

const sampledFirst, sampleInterval = 256, 64

// string returns the string that others have as well, and whether there were others.
func (s *Shares) string(b []byte) (*string, bool) {
	slots := s.words.At(maphash.Bytes(s.seeds[0], b))
	for i := range slots {
		if known := slots[i].Load(); known != nil && *known == string(b) {
			return known, true
		}
	}
	text := string(b)
	s.words.Put(slots, &text)
	return &text, false
}

// name is string for the name of a member, which is always looked up unless it is long.
func (s *Shares) name(b []byte) string {
	if len(b) > longestString {
		return string(b)
	}
	known, _ := s.string(b)
	return *known
}

// cut returns the text of the object or list at the beginning of b, or nil if it is too long to be looked up.
func cut(b []byte) []byte {
	n := jsonscan.Skip(b[:min(len(b), largestPart)])
	if n < 0 {
		return nil
	}
	return b[:n]
}

// find returns a part of another object that had the same text, or nil, and the slot to keep it in. The caller compares
// it with the text.
func (s *Shares) find(text []byte) (any, slot) {
	hashes := [2]uint64{maphash.Bytes(s.seeds[0], text), maphash.Bytes(s.seeds[1], text)}
	parts := &s.parts[0]
	if len(text) > smallPart {
		parts = &s.parts[1]
	}
	slots := parts.At(hashes[0])
	for i := range slots {
		if known := slots[i].Load(); known != nil && known.hashes == hashes {
			return known.value, slot{parts, slots, hashes}
		}
	}
	return nil, slot{parts, slots, hashes}
}

// slot is where a part of an object can be kept.
type slot struct {
	parts  *intern.Cache[part]
	slots  *intern.Set[part]
	hashes [2]uint64
}

func (s slot) keep(v any) { s.parts.Put(s.slots, &part{s.hashes, v}) }

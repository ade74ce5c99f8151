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
	trees, loose bool

	seeds   [2]maphash.Seed
	words   intern.Cache[string]
	parts   [2]intern.Cache[part] // small and large ones
	root    place
	strange place // of all that has no other
	places  atomic.Int32
	objects atomic.Uint32
}

// part is an object or a list in an object. It is known by 128 bits of a hash of its text, whose seeds nobody outside of the
// process knows.
type part struct {
	hashes [2]uint64
	value  any
}

const (
	mostStrings = 1 << 13
	// There may be many small parts, and some large ones, so that it is known how much memory they may keep.
	mostSmall, mostLarge = 1 << 14, 1 << 11
	smallPart            = 512
	// longestString and largestPart are the longest texts that it is worth it for. To find the end of a long one
	// takes time, and it may end nowhere.
	longestString = 160
	largestPart   = 8 << 10
)

// Sharing says what objects may have in common.
type Sharing struct {
	// Parts says that objects and lists in them are shared, and not only what cannot be written to. Who writes to one of these
	// changes several objects; objects that are decoded later do not get it.
	Parts bool
	// Loose says that the objects are not kept as they are, but maybe some of their strings. So these do not share memory.
	Loose bool
}

// NewShares returns shares for objects of one kind. The text of managed fields is shared in any case, unless the objects are
// loose: it is a tree of names, which programs read and replace, but do not write to.
func NewShares(what Sharing) *Shares {
	s := &Shares{trees: what.Parts, loose: what.Loose}
	for i := range s.seeds {
		s.seeds[i] = maphash.MakeSeed()
	}
	s.words.Most, s.parts[0].Most, s.parts[1].Most = mostStrings, mostSmall, mostLarge
	s.strange.uniform = true
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

// One look in so many must be worth it.
const stringWorth, treeWorth = 4, 16

// judging reports whether the object that is decoded now is one of those by which it is judged what is worth looking for:
// the first ones, and then one of many. Only these change anything at the places.
func (s *Shares) judging() bool {
	if s == nil {
		return false
	}
	n := s.objects.Add(1)
	return n < judgedFirst || n%judgedRest == 0
}

const judgedFirst, judgedRest = 256, 64

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

// name is string for the name of a member, which is always worth it unless it is long.
func (s *Shares) name(b []byte) string {
	if len(b) > longestString {
		return string(b)
	}
	known, _ := s.string(b)
	return *known
}

// cut returns the text of the object or list at the beginning of b, or nil if it is not worth looking for it.
func cut(b []byte) []byte {
	n := jsonscan.Skip(b[:min(len(b), largestPart)])
	if n < 0 {
		return nil
	}
	return b[:n]
}

// find returns a part of another object that had the same text, or nil, and where it can be kept when it is there. Who uses it
// looks whether it is what the text says.
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

package slotmap

import "math/bits"

// Entries lie in segments, the first of them small and each of the next ones twice as large, up to a limit, which bounds
// what is allocated at once, under the caller's lock, and what a single entry keeps from being freed.
const (
	firstBits = 3  // the first segment has 1<<firstBits slots
	doublings = 10 // so many segments double; the rest are as large as the last of these, 4,096 slots
	first     = 1 << firstBits
	lastBits  = firstBits + doublings - 1
	doubled   = first<<doublings - first // slots in the segments that double
)

// SegmentSize is the number of slots of the largest segments.
const SegmentSize = 1 << lastBits

// base is the number of slots in the first n segments.
func base(n int) int {
	if n <= doublings {
		return first<<n - first
	}
	return doubled + (n-doublings)<<lastBits
}

// size is the number of slots in segment n.
func size(n int) int { return first << min(n, doublings-1) }

// locate returns the segment that a slot is in, and its offset.
func locate(slot uint32) (seg int, off uint32) {
	if slot >= doubled {
		slot -= doubled
		return doublings + int(slot>>lastBits), slot & (1<<lastBits - 1)
	}
	v := slot + first
	seg = bits.Len32(v) - 1 - firstBits
	return seg, v - first<<seg
}

// openSet is the set of segments that have a free slot.
type openSet struct {
	words []uint64
	from  int // words before this one are empty
}

func (s *openSet) add(i int) {
	w := i / 64
	for w >= len(s.words) {
		s.words = append(s.words, 0)
	}
	s.words[w] |= 1 << (i % 64)
	s.from = min(s.from, w)
}

func (s *openSet) remove(i int) { s.words[i/64] &^= 1 << (i % 64) }

// first is the lowest one, if there is any.
func (s *openSet) first() (i int, ok bool) {
	for ; s.from < len(s.words); s.from++ {
		if w := s.words[s.from]; w != 0 {
			return 64*s.from + bits.TrailingZeros64(w), true
		}
	}
	return 0, false
}

package pack

import "encoding/binary"

// sample is some words of an object, to see which reference it is like. They stand in groups of minStride that follow
// each other, of which a window has one in its table wherever the text stands in there.
type sample struct {
	words [sampleGroups * minStride]uint64
	n     int
}

const (
	sampleGroups = 24
	// sampleSame is how many groups are found in an object of the same family, mostly.
	sampleSame = sampleGroups - 1
)

func (s *sample) take(src []byte) {
	s.n = 0
	const group = minStride + minCopy - 1
	space := len(src) - group
	if space < 0 {
		return
	}
	for i := range sampleGroups {
		at := space * i / (sampleGroups - 1)
		for k := range minStride {
			s.words[s.n] = binary.LittleEndian.Uint64(src[at+k:])
			s.n++
		}
	}
}

// likeness counts the words that stand in the window as well: as many as there are groups, at the most, but for words
// that stand there several times.
func (s *sample) likeness(w *window) int {
	count := 0
	for _, word := range s.words[:s.n] {
		from := int(w.table[word*hashFactor>>w.shift]) * w.stride
		if from+minCopy <= len(w.bytes) && binary.LittleEndian.Uint64(w.bytes[from:]) == word {
			count++
		}
	}
	return count
}

// choose returns the candidate that has most in common with src, or none if nobody has anything.
func (e *encoder) choose(src []byte, among []candidate) (best candidate) {
	e.sample.take(src)
	most := 0
	for _, c := range among {
		if n := e.sample.likeness(c.window); n > most {
			best, most = c, n
		}
		if most >= sampleSame {
			break
		}
	}
	return best
}

package pack

import "encoding/binary"

// fingerprint is some words of an object, to see which base it is like. The words are in runs of minStride that follow each other, of
// which an index has one in its table, wherever the same text is in the base.
type fingerprint struct {
	words [fingerprintRuns * minStride]uint64
	n     int
}

const (
	fingerprintRuns = 24
	// fingerprintSame is the number of runs that an object of the same group has in common with a base, as a rule.
	fingerprintSame = fingerprintRuns - 1
)

// take makes f the fingerprint of src.
func (f *fingerprint) take(src []byte) {
	f.n = 0
	const run = minStride + minCopy - 1
	space := len(src) - run
	if space < 0 {
		return
	}
	for i := range fingerprintRuns {
		at := space * i / (fingerprintRuns - 1)
		for k := range minStride {
			f.words[f.n] = binary.LittleEndian.Uint64(src[at+k:])
			f.n++
		}
	}
}

// similarity returns the number of words that are in the base as well: at most one of each run, except for words that are there several
// times.
func (f *fingerprint) similarity(index *baseIndex) int {
	count := 0
	for _, word := range f.words[:f.n] {
		from := int(index.table[word*hashFactor>>index.shift]) * index.stride
		if from+minCopy <= len(index.bytes) && binary.LittleEndian.Uint64(index.bytes[from:]) == word {
			count++
		}
	}
	return count
}

// choose returns the candidate that has most in common with src, or the zero candidate if none has anything in common with it.
func (e *encoder) choose(src []byte, candidates []candidate) (best candidate) {
	e.fingerprint.take(src)
	most := 0
	for _, c := range candidates {
		if n := e.fingerprint.similarity(c.index); n > most {
			best, most = c, n
		}
		if most >= fingerprintSame {
			break
		}
	}
	return best
}

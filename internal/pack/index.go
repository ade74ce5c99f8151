package pack

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"
)

const hashFactor = 0x9e3779b97f4a7c15

// baseIndex is the bytes of a base, and a hash table that has the positions of words in them. It does not change after fill.
type baseIndex struct {
	bytes  []byte
	table  []uint16 // a position by hash, in strides
	shift  uint8    // from a hash to a slot of the table
	stride int      // each position that is a multiple of it is in the table

	counted atomic.Bool // other bases are packed against bytes, and they are in the counters
}

// emptyIndex has nothing to copy. It is read only.
var emptyIndex = baseIndex{table: make([]uint16, 1), shift: 64, stride: 1}

// minStride is a compromise: to have each position in the table would take longer, and find only copies that are shorter than 12 bytes.
const minStride = 4

// newIndex returns an index of b, which must not change afterwards.
func newIndex(b []byte) *baseIndex {
	x := new(baseIndex)
	x.fill(b)
	return x
}

// fill makes x an index of b. It uses the table that x has, if that is large enough.
func (x *baseIndex) fill(b []byte) {
	x.bytes, x.stride = b, max(minStride, len(b)>>16+1)
	width := bits.Len(uint(len(b)/x.stride + 1))
	x.shift = uint8(64 - width)
	if n := 1 << width; n <= cap(x.table) {
		x.table = x.table[:n]
		clear(x.table)
	} else {
		x.table = make([]uint16, n)
	}
	if len(b) < minCopy {
		return
	}
	// From the end, so that of equal words the first is found: what follows it is longer.
	for place := (len(b) - minCopy) / x.stride; place >= 0; place-- {
		word := binary.LittleEndian.Uint64(b[place*x.stride:])
		x.table[word*hashFactor>>x.shift] = uint16(place)
	}
}

// size returns the memory of the index, in bytes.
func (x *baseIndex) size() int { return len(x.bytes) + 2*len(x.table) }

package pack

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"
)

const hashFactor = 0x9e3779b97f4a7c15

// window is a reference that is ready to be copied from: its bytes, and where in them each word stands. What it finds
// does not change.
type window struct {
	bytes  []byte
	table  []uint16 // by hash: a place, in strides
	shift  uint8    // from a hash to a slot of the table
	stride int      // every so many places one is in the table

	isBase atomic.Bool // other references are made of bytes
}

// noWindow has nothing to copy. Nobody writes to it.
var noWindow = window{table: make([]uint16, 1), shift: 64, stride: 1}

// minStride is a compromise: to note each place would take longer, and find only copies that are shorter than 12 bytes.
const minStride = 4

// newWindow takes b, which must not change any more.
func newWindow(b []byte) *window {
	w := new(window)
	w.fill(b)
	return w
}

// fill makes it a window of b. It uses the table that it has, if that is large enough.
func (w *window) fill(b []byte) {
	w.bytes, w.stride = b, max(minStride, len(b)>>16+1)
	width := bits.Len(uint(len(b)/w.stride + 1))
	w.shift = uint8(64 - width)
	if n := 1 << width; n <= cap(w.table) {
		w.table = w.table[:n]
		clear(w.table)
	} else {
		w.table = make([]uint16, n)
	}
	if len(b) < minCopy {
		return
	}
	// From the end, so that of equal words the first is found: what follows it is longer.
	for place := (len(b) - minCopy) / w.stride; place >= 0; place-- {
		word := binary.LittleEndian.Uint64(b[place*w.stride:])
		w.table[word*hashFactor>>w.shift] = uint16(place)
	}
}

// size is the memory that it takes.
func (w *window) size() int { return len(w.bytes) + 2*len(w.table) }

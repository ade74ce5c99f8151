package pack

import (
	"hash/crc32"
	"slices"
	"unsafe"
)

// Packed is an object at rest. It is three words and a piece of memory without pointers, does not change, and may be
// copied and read by many goroutines. The garbage collector takes back what it holds. The zero value is an empty
// object.
type Packed struct {
	// data is how to make the object of the reference. Nothing stands for the reference itself.
	data string
	// ref is what the object is made of, and nil if it needs nothing else.
	ref *reference
}

// AppendTo writes the object behind dst. If the packed bytes are damaged it returns dst as it was, and [ErrDamaged].
// It allocates no more than the length that is noted for the object, which is bounded.
func (x Packed) AppendTo(dst []byte) ([]byte, error) {
	switch {
	case x.ref == nil && x.data == "":
		return dst, nil
	case x.ref == nil:
		return unpack(dst, nil, x.data, true)
	case x.data == "":
		return unpack(dst, x.ref.base, x.ref.data, true)
	}
	if w := x.ref.hot.Load(); w != nil {
		return unpack(dst, w.bytes, x.data, true)
	}
	b := benches.Get().(*bench)
	defer b.leave()
	ref, err := b.lay(x.ref)
	if err != nil {
		return dst, err
	}
	return unpack(dst, ref, x.data, true)
}

// unpack writes what data makes of ref. Where that is only a step on the way, its checksum need not be looked at.
func unpack(dst, ref []byte, data string, check bool) ([]byte, error) {
	length, sum, at, err := readHead(data)
	if err != nil {
		return dst, err
	}
	begin := len(dst)
	out := slices.Grow(dst, length)[:begin+length]
	if err := decode(out[begin:], ref, data, at); err != nil {
		return dst, err
	}
	if check && crc32.Checksum(out[begin:], castagnoli) != sum {
		return dst, ErrDamaged
	}
	return out, nil
}

// Len returns how many bytes the object has when it is unpacked.
func (x Packed) Len() int {
	data := x.data
	if data == "" && x.ref != nil {
		data = x.ref.data
	}
	length, _, _, err := readHead(data)
	if err != nil {
		return 0
	}
	return length
}

// Size returns how many bytes the object takes at rest, with this header. What it shares with others is not in there: see
// [Stats].
func (x Packed) Size() int { return int(unsafe.Sizeof(x)) + len(x.data) }

package pack

import (
	"hash/crc32"
	"slices"
	"unsafe"
)

// Packed is an object at rest: three words, and a piece of memory without pointers. It never changes, and may be copied, and read by any
// number of goroutines. What it holds is garbage collected. The zero value is an empty object.
type Packed struct {
	// data says how the object is made of the base. It is empty if the object is the base itself.
	data string
	// base is what the object is copied from, nil if data is all.
	base *base
}

// AppendTo appends the bytes of the object to dst. If the packed bytes are damaged, it returns dst unchanged and [ErrDamaged]. It allocates at
// most the length that is stored with the object, which is bounded.
func (x Packed) AppendTo(dst []byte) ([]byte, error) {
	switch {
	case x.base == nil && x.data == "":
		return dst, nil
	case x.base == nil:
		return unpack(dst, nil, x.data, true)
	case x.data == "":
		return unpack(dst, x.base.root, x.base.data, true)
	}
	if index := x.base.index.Load(); index != nil {
		return unpack(dst, index.bytes, x.data, true)
	}
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	base, err := s.load(x.base)
	if err != nil {
		return dst, err
	}
	return unpack(dst, base, x.data, true)
}

// unpack appends what data makes of base to dst. If check is false, the checksum is not compared: the caller unpacks an intermediate step.
func unpack(dst, base []byte, data string, check bool) ([]byte, error) {
	length, sum, at, err := readHead(data)
	if err != nil {
		return dst, err
	}
	begin := len(dst)
	out := slices.Grow(dst, length)[:begin+length]
	if err := decode(out[begin:], base, data, at); err != nil {
		return dst, err
	}
	if check && crc32.Checksum(out[begin:], castagnoli) != sum {
		return dst, ErrDamaged
	}
	return out, nil
}

// Len returns the length of the object when it is unpacked.
func (x Packed) Len() int {
	data := x.data
	if data == "" && x.base != nil {
		data = x.base.data
	}
	length, _, _, err := readHead(data)
	if err != nil {
		return 0
	}
	return length
}

// Size returns the number of bytes that the object takes at rest, with this struct. Its base, which it shares with others, is not counted.
func (x Packed) Size() int { return int(unsafe.Sizeof(x)) + len(x.data) }

package protoread

import "errors"

// errUnusual means that bytes are invalid, or valid in a way that is left to the generated code.
var errUnusual = errors.New("protoread: unusual bytes")

const (
	wireVarint = 0
	wireBytes  = 2
)

// varint reads a number. It returns the bytes behind it, and false if they end before it does, or if it is not in its
// shortest form within 64 bits.
func varint(b []byte) (v uint64, rest []byte, ok bool) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), b[1:], true
	}
	for i := range b {
		if i == 10 {
			break
		}
		c := b[i]
		if i == 9 && c > 1 {
			break
		}
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			return v, b[i+1:], true
		}
	}
	return 0, nil, false
}

// tag reads the number and the type of a field.
func tag(b []byte) (number uint64, wire byte, rest []byte, ok bool) {
	v, rest, ok := varint(b)
	return v >> 3, byte(v & 7), rest, ok && v>>3 > 0 && v>>3 < 1<<29
}

// chunk reads a length and as many bytes.
func chunk(b []byte) (data, rest []byte, ok bool) {
	n, rest, ok := varint(b)
	if !ok || n > uint64(len(rest)) {
		return nil, nil, false
	}
	return rest[:n:n], rest[n:], true
}

// run measures how far b goes on with a field of a number, of which the first chunk was taken, and counts how often it comes.
func run(b []byte, number uint64) (n int, rest []byte, ok bool) {
	n = 1
	for {
		next, wire, data, ok := tag(b)
		if !ok || next != number || wire != wireBytes {
			return n, b, true // the caller detects the error
		}
		if _, b, ok = chunk(data); !ok {
			return 0, nil, false
		}
		n++
	}
}

// skip passes over a field that is not known.
func skip(b []byte, wire byte) (rest []byte, ok bool) {
	switch wire {
	case wireVarint:
		_, rest, ok = varint(b)
		return rest, ok
	case wireBytes:
		_, rest, ok = chunk(b)
		return rest, ok
	case 1:
		return cut(b, 8)
	case 5:
		return cut(b, 4)
	}
	return nil, false
}

func cut(b []byte, n int) ([]byte, bool) {
	if len(b) < n {
		return nil, false
	}
	return b[n:], true
}

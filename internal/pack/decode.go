package pack

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// ErrDamaged is returned for bytes that are not those that [Packer.Pack] wrote. Unpacking them again gives the same error: the object has to
// be fetched again.
var ErrDamaged = errors.New("pack: the packed object is damaged")

// maxCopied is the greatest length of an object with copies in it. A longer one is written as it is, so that damaged bytes cannot ask for
// more memory than this or their own length.
const maxCopied = 16 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendHead appends the head of the packed form of src.
func appendHead(dst, src []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(src)))
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(src, castagnoli))
}

// readHead returns the length of the object that is packed in data, its checksum, and the position at which the sequences begin.
func readHead(data string) (length int, sum uint32, begin int, err error) {
	n, begin := uvarint(data, 0)
	if begin < 0 || len(data)-begin < 4 || n > maxCopied && n > uint64(len(data)) {
		return 0, 0, 0, ErrDamaged
	}
	sum = uint32(data[begin]) | uint32(data[begin+1])<<8 | uint32(data[begin+2])<<16 | uint32(data[begin+3])<<24
	return int(n), sum, begin + 4, nil
}

// decode fills out with what the sequences in data, from at on, make of the base.
func decode(out, base []byte, data string, at int) error {
	pos, diff := 0, 0
	for pos < len(out) {
		if at >= len(data) {
			return ErrDamaged
		}
		token := data[at]
		at++
		kind, literals, length := token>>6, uint64(token>>3&7), uint64(token&7)
		if literals == 7 {
			if literals, at = more(data, at); at < 0 {
				return ErrDamaged
			}
		}
		if literals > uint64(len(data)-at) || literals > uint64(len(out)-pos) {
			return ErrDamaged
		}
		pos += copy(out[pos:], data[at:at+int(literals)])
		at += int(literals)
		if length == 7 {
			if length, at = more(data, at); at < 0 {
				return ErrDamaged
			}
		}
		var ok bool
		switch kind {
		case kindAligned:
			pos, ok = copyRun(out, pos, base, pos+diff, length+minAligned)
		case kindBase:
			var offset int
			if offset, at = varint(data, at); at < 0 {
				return ErrDamaged
			}
			from := pos + diff + offset
			if length+minCopy >= longCopy {
				diff += offset
			}
			pos, ok = copyRun(out, pos, base, from, length+minCopy)
		case kindSelf:
			var back uint64
			if back, at = uvarint(data, at); at < 0 || back == 0 || back > uint64(pos) {
				return ErrDamaged
			}
			pos, ok = copyBack(out, pos, int(back), length+minCopy)
		case kindHex:
			pos, at, ok = hexRun(out, pos, data, at, length)
		}
		if !ok {
			return ErrDamaged
		}
	}
	if at != len(data) {
		return ErrDamaged
	}
	return nil
}

// copyRun copies n bytes of base, and returns the position after them.
func copyRun(out []byte, pos int, base []byte, from int, n uint64) (int, bool) {
	if from < 0 || from > len(base) || n > uint64(len(base)-from) || n > uint64(len(out)-pos) {
		return pos, false
	}
	return pos + copy(out[pos:], base[from:from+int(n)]), true
}

// copyBack copies n bytes that begin back bytes before pos. They may reach beyond pos: then what was copied is copied again.
func copyBack(out []byte, pos, back int, n uint64) (int, bool) {
	if n > uint64(len(out)-pos) {
		return pos, false
	}
	from, end := pos-back, pos+int(n)
	for pos < end {
		pos += copy(out[pos:end], out[from:pos])
	}
	return end, true
}

// hexRun writes the digits of a run of kindHex, and returns the positions after them in out and data.
func hexRun(out []byte, pos int, data string, at int, length uint64) (int, int, bool) {
	switch length {
	case hexNone:
		return pos, at, true
	case hexUUID:
		if len(data)-at < 16 || len(out)-pos < 36 {
			return pos, at, false
		}
		putUUID(out[pos:pos+36], data[at:at+16])
		return pos + 36, at + 16, true
	}
	pairs := length - hexFirst + hexPairs
	if pairs > uint64(len(data)-at) || pairs > uint64(len(out)-pos)/2 {
		return pos, at, false
	}
	putDigits(out[pos:pos+2*int(pairs)], data[at:at+int(pairs)])
	return pos + 2*int(pairs), at + int(pairs), true
}

// more reads a length that does not fit into a token. It returns a negative position if there is none.
func more(data string, at int) (uint64, int) {
	n, at := uvarint(data, at)
	if n > maxLength {
		return 0, -1
	}
	return n + 7, at
}

// maxLength keeps sums of lengths and positions far from overflow.
const maxLength = 1 << 48

// uvarint reads a number, and returns the position after it, which is negative if there is none.
func uvarint(data string, at int) (uint64, int) {
	var n uint64
	for shift := 0; at >= 0 && at < len(data) && shift < 64; shift += 7 {
		b := data[at]
		at++
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n, at
		}
	}
	return 0, -1
}

// varint reads a number that may be negative.
func varint(data string, at int) (int, int) {
	u, at := uvarint(data, at)
	n := int64(u>>1) ^ -int64(u&1)
	if n > maxLength || n < -maxLength {
		return 0, -1
	}
	return int(n), at
}

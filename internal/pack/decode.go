package pack

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// ErrDamaged says that bytes are not those that [Packer.Pack] wrote. Unpacking them again gives the same error: the
// object has to be fetched again.
var ErrDamaged = errors.New("pack: the packed object is damaged")

// maxCopied is how long an object may be that has copies in it. A longer one is written as it is, so that damaged bytes
// cannot ask for more memory than this or their own length.
const maxCopied = 16 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendHead begins the packed form of src.
func appendHead(dst, src []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(src)))
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(src, castagnoli))
}

// readHead returns the length that is noted in data, the checksum, and where the sequences begin.
func readHead(data string) (length int, sum uint32, begin int, err error) {
	n, begin := uvarint(data, 0)
	if begin < 0 || len(data)-begin < 4 || n > maxCopied && n > uint64(len(data)) {
		return 0, 0, 0, ErrDamaged
	}
	sum = uint32(data[begin]) | uint32(data[begin+1])<<8 | uint32(data[begin+2])<<16 | uint32(data[begin+3])<<24
	return int(n), sum, begin + 4, nil
}

// decode fills out with what the sequences in data, from at on, make of the reference.
func decode(out, ref []byte, data string, at int) error {
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
		case kindAhead:
			pos, ok = copyRun(out, pos, ref, pos+diff, length+minAhead)
		case kindReference:
			var ahead int
			if ahead, at = varint(data, at); at < 0 {
				return ErrDamaged
			}
			from := pos + diff + ahead
			if length+minCopy >= longCopy {
				diff += ahead
			}
			pos, ok = copyRun(out, pos, ref, from, length+minCopy)
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

// copyRun copies n bytes of ref, and returns the next place.
func copyRun(out []byte, pos int, ref []byte, from int, n uint64) (int, bool) {
	if from < 0 || from > len(ref) || n > uint64(len(ref)-from) || n > uint64(len(out)-pos) {
		return pos, false
	}
	return pos + copy(out[pos:], ref[from:from+int(n)]), true
}

// copyBack copies n bytes from back before pos. They may reach beyond it: then what was copied is copied again.
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

// more reads a length that did not fit into the token. It returns a negative place if there is none.
func more(data string, at int) (uint64, int) {
	n, at := uvarint(data, at)
	if n > maxLength {
		return 0, -1
	}
	return n + 7, at
}

// maxLength keeps sums of lengths and places far from overflow.
const maxLength = 1 << 48

// uvarint reads a number, and returns where it ends: a negative place if there is none.
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

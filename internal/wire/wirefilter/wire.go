package wirefilter

import (
	"fmt"

	"vedette.dev/internal/wire/protoscan"
)

// The wire types of protobuf.
const (
	typeVarint  = 0
	typeFixed64 = 1
	typeBytes   = 2
	typeGroup   = 3
	typeEnd     = 4
	typeFixed32 = 5
)

// protobuf appends what is left of a message to dst. What stands side by side and stays is copied at once.
//
// It sees the bytes as the generated decoders do, in everything that they accept: tags and numbers in more bytes than they need,
// groups, numbers of fields that are cut to 32 bits.
//
// Invariant: what has been appended is not longer than what has been read, so dst may be the beginning of src.
func (n *node) protobuf(dst, src []byte) ([]byte, error) {
	begin := 0 // of what stays and was not yet copied; it ends where the field begins
	for i := 0; i < len(src); {
		start := i
		f, body, end := n.next(src, i)
		if end < 0 {
			return dst, n.whatIsWrong(src, start)
		}
		i = end
		if f.do == omit {
			if begin < start {
				dst = append(dst, src[begin:start]...)
			}
			begin = end
			continue
		}
		into := f.into
		if f.entries {
			s, ok := f.entry(src[body:end])
			if !ok {
				return dst, fmt.Errorf("%w in field %d", errEntry, numberAt(src, start))
			}
			if s.do == omit {
				dst = append(dst, src[begin:start]...)
				begin = end
				continue
			}
			into = s.into
		}
		if into == nil { // it stays whole
			continue
		}
		number := numberAt(src, start) // now, because the bytes may be written over
		dst = append(dst, src[begin:lengthAt(src, start)]...)
		begin = end
		var err error
		if dst, err = into.inside(dst, src[body:end], f.entries); err != nil {
			return dst, fmt.Errorf("in field %d: %w", number, err)
		}
	}
	return append(dst, src[begin:]...), nil
}

// field is what is known of a number.
func (n *node) field(number int32) *wireField {
	if int(number) < len(n.numbers) {
		return &n.numbers[number]
	}
	return &n.numbers[0] // which says what is done with unknown ones
}

// next finds the field at i, and where its value begins and ends. The end is -1 if something is wrong.
func (n *node) next(src []byte, i int) (f *wireField, body, end int) {
	// Nearly all fields have a tag of one byte and a length of one.
	tag := uint64(src[i])
	at := i + 1
	if tag >= 0x80 {
		if tag, at = uvarint(src, i); at < 0 {
			return nil, 0, -1
		}
	}
	number := int32(tag >> 3)
	if number <= 0 {
		return nil, 0, -1
	}
	f = n.field(number)
	if f.types == 0 {
		return f, at, skip(src, i)
	}
	if f.types&(1<<(tag&7)) == 0 {
		return nil, 0, -1
	}
	if tag&7 == typeBytes && at < len(src) && src[at] < 0x80 {
		if body, end = at+1, at+1+int(src[at]); end <= len(src) {
			return f, body, end
		}
		return nil, 0, -1
	}
	body, end = known(src, at, tag&7)
	return f, body, end
}

func numberAt(src []byte, i int) int32 {
	tag, _ := uvarint(src, i)
	return int32(tag >> 3)
}

// whatIsWrong says why there is no next field.
func (n *node) whatIsWrong(src []byte, i int) error {
	tag, at := uvarint(src, i)
	number := int32(tag >> 3)
	switch {
	case at < 0:
		return malformed("a tag that is too long or cut short", i)
	case number <= 0:
		return malformed("a field without a number", i)
	}
	if types := n.field(number).types; types != 0 && types&(1<<(tag&7)) == 0 {
		return malformed(fmt.Sprintf("the wire type %d in field %d", tag&7, number), i)
	}
	return malformed(fmt.Sprintf("field %d, wrong or cut short,", number), i)
}

// known finds where the value of a field begins and ends. The end is -1 if it is cut short.
func known(src []byte, i int, wireType uint64) (body, end int) {
	switch wireType {
	case typeBytes:
		n, at := uvarint(src, i)
		if at < 0 || n > uint64(len(src)-at) {
			return 0, -1
		}
		return at, at + int(n)
	case typeVarint:
		_, end = uvarint(src, i)
	case typeFixed64:
		end = i + 8
	default:
		end = i + 4
	}
	if end > len(src) {
		return 0, -1
	}
	return i, end
}

// lengthAt is where the tag at start ends.
func lengthAt(src []byte, start int) int {
	for src[start] >= 0x80 {
		start++
	}
	return start + 1
}

// inside appends the length and what is left of a message, or of an entry whose value is filtered. The length is known last: room
// is left for the largest that it can be, and what follows is moved if it turns out to need less.
func (n *node) inside(dst, body []byte, entry bool) (_ []byte, err error) {
	mark, room := len(dst), sizeOf(len(body))
	var length [10]byte
	dst = append(dst, length[:room]...)
	if entry {
		dst, err = n.entryInside(dst, body)
	} else {
		dst, err = n.protobuf(dst, body)
	}
	if err != nil {
		return dst, err
	}
	size := len(dst) - mark - room
	if need := sizeOf(size); need < room {
		copy(dst[mark+need:], dst[mark+room:])
		dst = dst[:mark+need+size]
	}
	putUvarint(dst[mark:], size)
	return dst, nil
}

func sizeOf(n int) int {
	size := 1
	for n >= 0x80 {
		n >>= 7
		size++
	}
	return size
}

func putUvarint(b []byte, n int) {
	i := 0
	for ; n >= 0x80; i++ {
		b[i] = byte(n) | 0x80
		n >>= 7
	}
	b[i] = byte(n)
}

// uvarint reads a number of at most ten bytes. Bits beyond the 64th are lost, as they are in decoders. The end is -1 if it is too
// long or cut short.
func uvarint(b []byte, i int) (v uint64, end int) {
	for shift := 0; shift < 64 && i < len(b); shift += 7 {
		c := b[i]
		i++
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v, i
		}
	}
	return 0, -1
}

// skip passes over a field of any type, or a group with all that is in it. The end is -1 if it is wrong or cut short.
func skip(b []byte, i int) int {
	for depth := 0; i >= 0 && i < len(b); {
		var tag uint64
		if tag, i = uvarint(b, i); i < 0 {
			return -1
		}
		switch tag & 7 {
		case typeGroup:
			depth++
		case typeEnd:
			depth--
		case typeVarint, typeBytes, typeFixed64, typeFixed32:
			_, i = known(b, i, tag&7)
		default:
			return -1
		}
		if depth < 0 {
			return -1
		}
		if depth == 0 {
			return i
		}
	}
	return -1
}

func malformed(what string, at int) error {
	return fmt.Errorf("%w: %s at byte %d of a message", protoscan.ErrMalformed, what, at)
}

package cborscan

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"unicode/utf8"
)

// deepest is how deep Canonical follows an object. No server sends deeper ones.
const deepest = 500

// Sorter puts the keys of maps in order. It keeps the memory that it needs for the next object, and is not safe for concurrent
// use.
type Sorter struct{ c canonical }

// Canonical is the function of that name.
func (s *Sorter) Canonical(dst, data []byte) ([]byte, bool) {
	s.c.data, s.c.entries = data, s.c.entries[:0]
	out, end, ok := s.c.value(dst, 0, 0)
	s.c.data = nil
	if !ok || end != len(data) || !IsMap(data) {
		return dst, false
	}
	return out, true
}

// Canonical appends the object in data to dst, with the keys of its maps in order and without the tags of self-described
// CBOR, so that equal objects have equal bytes. It reports whether the object can certainly be decoded without a type, with
// the result that the decoder has for data. If not, which is so for all that no API server sends (tags, items without a
// length, NaN), only the decoder can tell, and dst is returned as it was.
func Canonical(dst, data []byte) ([]byte, bool) {
	var s Sorter
	return s.Canonical(dst, data)
}

type canonical struct {
	data    []byte
	entries []entry // of the maps that have begun, the innermost last
	scratch []byte
}

// entry is where an entry of a map is in the output: the string of its key is [text:value], and the value begins at value.
type entry struct{ begin, text, value, end int }

// value appends the item at i, and returns where it ends.
func (c *canonical) value(dst []byte, i, depth int) (out []byte, end int, ok bool) {
	i = len(c.data) - len(Bare(c.data[i:]))
	h, err := parseHead(c.data[i:])
	if err != nil || h.size == 0 || h.endless() || h.check() != nil {
		return nil, 0, false
	}
	end = i + h.size
	switch h.major {
	case typePositive, typeNegative:
		if h.number > math.MaxInt64 {
			return nil, 0, false
		}
	case typeBytes, typeText:
		if h.number > uint64(len(c.data)-end) {
			return nil, 0, false
		}
		end += int(h.number)
		if h.major == typeText && !utf8.Valid(c.data[i+h.size:end]) {
			return nil, 0, false
		}
	case typeArray, typeMap:
		if depth >= deepest || h.number > uint64(len(c.data)-end) {
			return nil, 0, false
		}
		dst = append(dst, c.data[i:end]...)
		if h.major == typeMap {
			return c.entriesOf(dst, end, int(h.number), depth+1)
		}
		for range h.number {
			if dst, end, ok = c.value(dst, end, depth+1); !ok {
				return nil, 0, false
			}
		}
		return dst, end, true
	case typeTag:
		return c.encoded(dst, i, h)
	case typeOther:
		if !c.simple(i, h) {
			return nil, 0, false
		}
	}
	return append(dst, c.data[i:end]...), end, true
}

// encoded appends a byte string with the tag that says what it is in a text, which is base64 for a []byte.
func (c *canonical) encoded(dst []byte, i int, tag head) (out []byte, end int, ok bool) {
	const base64url, base64, base16 = 21, 22, 23
	if tag.number != base64url && tag.number != base64 && tag.number != base16 {
		return nil, 0, false
	}
	at := i + tag.size
	h, err := parseHead(c.data[at:])
	if err != nil || h.size == 0 || h.major != typeBytes || h.endless() || h.number > uint64(len(c.data)-at-h.size) {
		return nil, 0, false
	}
	end = at + h.size + int(h.number)
	return append(dst, c.data[i:end]...), end, true
}

// simple reports whether an item is false, true, null or a finite number.
func (c *canonical) simple(i int, h head) bool {
	switch h.info {
	case 20, 21, 22:
		return true
	case 25:
		return h.number&0x7c00 != 0x7c00
	case 26:
		return h.number&0x7f800000 != 0x7f800000
	case 27:
		f := math.Float64frombits(binary.BigEndian.Uint64(c.data[i+1:]))
		return !math.IsNaN(f) && !math.IsInf(f, 0)
	}
	return false
}

// entriesOf appends the entries of a map, in order.
func (c *canonical) entriesOf(dst []byte, i, n, depth int) (out []byte, end int, ok bool) {
	first, begin := len(c.entries), len(dst)
	inOrder := true
	for k := range n {
		h, err := parseHead(c.data[i:])
		if err != nil || h.size == 0 || h.endless() || h.major != typeBytes && h.major != typeText {
			return nil, 0, false
		}
		e := entry{begin: len(dst), text: len(dst) + h.size}
		var ok bool
		if dst, i, ok = c.value(dst, i, depth); !ok {
			return nil, 0, false
		}
		e.value = len(dst)
		if dst, i, ok = c.value(dst, i, depth); !ok {
			return nil, 0, false
		}
		e.end = len(dst)
		if k > 0 {
			last := c.entries[len(c.entries)-1]
			switch bytes.Compare(dst[last.text:last.value], dst[e.text:e.value]) {
			case 0:
				return nil, 0, false
			case 1:
				inOrder = false
			}
		}
		c.entries = append(c.entries, e)
	}
	own := c.entries[first:]
	if !inOrder {
		slices.SortFunc(own, func(a, b entry) int { return bytes.Compare(dst[a.text:a.value], dst[b.text:b.value]) })
		c.scratch = append(c.scratch[:0], dst[begin:]...)
		at := begin
		var last []byte
		for k, e := range own {
			name := c.scratch[e.text-begin : e.value-begin]
			if k > 0 && bytes.Equal(last, name) {
				return nil, 0, false
			}
			last = name
			at += copy(dst[at:], c.scratch[e.begin-begin:e.end-begin])
		}
	}
	c.entries = c.entries[:first]
	return dst, i, true
}

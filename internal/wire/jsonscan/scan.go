package jsonscan

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
)

// ErrMalformed says that a text is not JSON, as far as that was looked at.
var ErrMalformed = errors.New("malformed JSON")

// scanner finds the end of a value whose bytes come in pieces.
type scanner struct {
	depth    int
	inString bool
	escaped  bool
	scalar   bool // a number, true, false or null: it ends where something else begins
	begun    bool
	inner    int // how many objects and arrays there are directly in the value
}

// scan looks at more bytes of the value. It returns how many of them belong to it, and whether it ends there. A scalar
// that reaches to the end of b is not known to be over.
func (s *scanner) scan(b []byte) (n int, done bool) {
	i := 0
	if !s.begun && len(b) > 0 {
		s.begin(b[0])
		i = 1
	}
	if s.scalar {
		n := endOfScalar(b[i:])
		return i + n, i+n < len(b)
	}
	if s.inString {
		i += s.skipString(b[i:])
	}
	if !s.inString && s.depth > 0 {
		i = s.scanInside(b, i)
	}
	return i, s.begun && s.depth == 0 && !s.inString
}

// scanInside goes on within an object or an array, outside of strings, and returns how far it came. All that comes in JSON goes
// through here, so that it looks at eight bytes of a string at a time itself: most are short and have no escapes.
func (s *scanner) scanInside(b []byte, i int) int {
	depth := s.depth
	for depth > 0 && i < len(b) {
		c := b[i]
		i++
		switch classes[c] {
		case quote:
			for {
				if len(b)-i < 8 {
					i, s.inString = s.longString(b, i)
					break
				}
				found := Specials(binary.LittleEndian.Uint64(b[i:]))
				if found == 0 {
					i += 8
					continue
				}
				if i += bits.TrailingZeros64(found) / 8; b[i] == '"' {
					i++
				} else {
					i, s.inString = s.longString(b, i)
				}
				break
			}
			if s.inString {
				s.depth = depth
				return i
			}
		case opening:
			if depth == 1 {
				s.inner++
			}
			depth++
		case closing:
			depth--
		}
	}
	s.depth = depth
	return i
}

// longString goes on in a string, and reports whether it goes on behind b.
func (s *scanner) longString(b []byte, i int) (int, bool) {
	s.inString = true
	i += s.skipString(b[i:])
	return i, s.inString
}

// What a byte outside of strings means for finding the end of a value.
const (
	plain = iota
	quote
	opening
	closing
)

var classes = [256]uint8{'"': quote, '{': opening, '[': opening, '}': closing, ']': closing}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// Specials has the high bit set of the first byte in w that is a quote or a backslash. Higher ones may be carried over from it.
func Specials(w uint64) uint64 {
	const quotes, slants = '"' * ones, '\\' * ones
	q, l := w^quotes, w^slants
	return ((q-ones)&^q | (l-ones)&^l) & highs
}

// Controls is Specials for the bytes below a space, which may not stand in a string. Of both together the lowest bit is right, too.
func Controls(w uint64) uint64 {
	const spaces = ' ' * ones
	return (w - spaces) &^ w & highs
}

// special is where the first quote or backslash is, or -1. It looks at eight bytes at a time: the strings in objects are
// too short for a call of bytes.IndexByte to pay.
func special(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if found := Specials(binary.LittleEndian.Uint64(b[i:])); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(b); i++ {
		if b[i] == '"' || b[i] == '\\' {
			return i
		}
	}
	return -1
}

func (s *scanner) begin(c byte) {
	s.begun = true
	switch c {
	case '{', '[':
		s.depth = 1
	case '"':
		s.inString = true
	default:
		s.scalar = true
	}
}

// skipString goes to the end of the string, or of b.
func (s *scanner) skipString(b []byte) int {
	i := 0
	if s.escaped && len(b) > 0 {
		s.escaped = false
		i = 1
	}
	for i < len(b) {
		at := special(b[i:])
		if at < 0 {
			return len(b)
		}
		i += at + 1
		if b[i-1] == '"' {
			s.inString = false
			return i
		}
		if i == len(b) {
			s.escaped = true
			return i
		}
		i++
	}
	return len(b)
}

func endOfScalar(b []byte) int {
	for i, c := range b {
		switch c {
		case ',', '}', ']', ' ', '\t', '\r', '\n', ':', '{', '[', '"':
			return i
		}
	}
	return len(b)
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func skipSpace(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	return b
}

// value cuts the value off the beginning of b.
func value(b []byte) (v, rest []byte, ok bool) {
	if len(b) == 0 || b[0] == '}' || b[0] == ']' || b[0] == ',' || b[0] == ':' {
		return nil, b, false
	}
	var s scanner
	n, done := s.scan(b)
	if !done && !s.scalar {
		return nil, b, false
	}
	return b[:n:n], b[n:], true
}

// Object steps through the members of an object:
//
//	for o := jsonscan.NewObject(data); o.Next(); {
//		switch string(o.Name) { … o.Value … }
//	}
//	and then look at o.Err
type Object struct {
	// Name and Value are those of the current member. Value is as it is in the text.
	Name, Value []byte
	// Err is why Next returned false, or nil at the end of the object.
	Err error

	rest  []byte
	begun bool
}

// NewObject begins before the first member of the object in data.
func NewObject(data []byte) *Object { return &Object{rest: skipSpace(data)} }

// Next goes to the next member.
func (o *Object) Next() bool {
	if o.Err != nil || o.rest == nil {
		return false
	}
	opening := byte(',')
	if !o.begun {
		opening, o.begun = '{', true
	}
	o.rest = skipSpace(o.rest)
	if opening == ',' && len(o.rest) > 0 && o.rest[0] == '}' {
		return o.end()
	}
	if len(o.rest) == 0 || o.rest[0] != opening {
		return o.fail(fmt.Sprintf("%q expected", opening))
	}
	o.rest = skipSpace(o.rest[1:])
	if opening == '{' && len(o.rest) > 0 && o.rest[0] == '}' {
		return o.end()
	}
	return o.member()
}

func (o *Object) end() bool {
	o.rest = nil
	return false
}

func (o *Object) member() bool {
	name, rest, ok := value(o.rest)
	if !ok || name[0] != '"' {
		return o.fail("a name expected")
	}
	if o.Name, ok = text(name); !ok {
		return o.fail("bad name")
	}
	rest = skipSpace(rest)
	if len(rest) == 0 || rest[0] != ':' {
		return o.fail("':' expected")
	}
	if o.Value, o.rest, ok = value(skipSpace(rest[1:])); !ok {
		return o.fail("a value expected")
	}
	return true
}

func (o *Object) fail(why string) bool {
	o.Err = fmt.Errorf("%w: %s", ErrMalformed, why)
	return false
}

// text is what a string in quotes says. Without escapes it is a part of v.
func text(v []byte) ([]byte, bool) {
	if len(v) < 2 || v[0] != '"' || v[len(v)-1] != '"' {
		return nil, false
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return v[1 : len(v)-1], true
	}
	var s string
	if err := json.Unmarshal(v, &s); err != nil {
		return nil, false
	}
	return []byte(s), true
}

// Text is what a string value says. Null says nothing.
func Text(v []byte) (string, error) {
	if string(v) == "null" {
		return "", nil
	}
	t, ok := text(v)
	if !ok {
		const enough = 40
		return "", fmt.Errorf("%w: %.*q is not a string", ErrMalformed, enough, v)
	}
	return string(t), nil
}

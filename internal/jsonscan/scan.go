package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
}

// scan looks at more bytes of the value. It returns how many of them belong to it, and whether it ends there. A scalar
// that reaches to the end of b is not known to be over.
func (s *scanner) scan(b []byte) (n int, done bool) {
	i := 0
	if !s.begun && len(b) > 0 {
		s.begin(b[0])
		i = 1
	}
	for i < len(b) {
		switch {
		case s.inString:
			i += s.skipString(b[i:])
		case s.scalar:
			n := endOfScalar(b[i:])
			return i + n, i+n < len(b)
		default:
			i += s.skipPlain(b[i:])
		}
		if s.depth == 0 && !s.inString && !s.scalar {
			return i, true
		}
	}
	return i, s.begun && s.depth == 0 && !s.inString && !s.scalar
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
	if s.escaped {
		s.escaped = false
		i = 1
	}
	for i < len(b) {
		quote := bytes.IndexByte(b[i:], '"')
		part := b[i:]
		if quote >= 0 {
			part = b[i : i+quote]
		}
		slash := bytes.IndexByte(part, '\\')
		switch {
		case slash >= 0 && i+slash+1 == len(b):
			s.escaped = true
			return len(b)
		case slash >= 0:
			i += slash + 2
		case quote >= 0:
			s.inString = false
			return i + quote + 1
		default:
			return len(b)
		}
	}
	return len(b)
}

// skipPlain goes to the next string, or to the end of the value, or of b.
func (s *scanner) skipPlain(b []byte) int {
	for i, c := range b {
		switch c {
		case '"':
			s.inString = true
			return i + 1
		case '{', '[':
			s.depth++
		case '}', ']':
			if s.depth--; s.depth == 0 {
				return i + 1
			}
		}
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

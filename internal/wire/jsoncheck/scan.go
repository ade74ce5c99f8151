package jsoncheck

import (
	"encoding/binary"
	"math/bits"

	"vedette.dev/internal/wire/jsonscan"
)

// The functions of this package that look at some part of a text are given where it begins, and return where it ends: behind
// its last byte. If something is wrong or unusual, that is bad.
const bad = -1

// deepest is how deep values may be nested. Real objects are not nested as deep, and the decoder has a limit as well.
const deepest = 500

// Valid reports whether data is an object that can certainly be decoded into a map[string]any. If it says no, only decoding tells.
func Valid(data []byte) bool {
	c, i := next(data, 0)
	return c == '{' && ends(data, anything.mapping(data, i, 0))
}

// ends reports whether there is nothing but space from i on.
func ends(b []byte, i int) bool {
	if i < 0 {
		return false
	}
	_, i = next(b, i)
	return i == len(b)
}

// next goes from i to the first byte that is not space, and returns it and its place: zero and len(b) at the end.
func next(b []byte, i int) (byte, int) {
	if i < len(b) && b[i] > ' ' {
		return b[i], i
	}
	return nextBehindSpace(b, i)
}

func nextBehindSpace(b []byte, i int) (byte, int) {
	for ; i < len(b); i++ {
		if c := b[i]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c, i
		}
	}
	return 0, len(b)
}

// colon goes behind the colon that must follow, and then as next does.
func colon(b []byte, i int) (byte, int) {
	c, i := next(b, i)
	if c != ':' {
		return 0, len(b)
	}
	return next(b, i+1)
}

// anything is a list or an object with anything in it.
var anything = &node{elem: &node{shape: shapeAny}}

// value passes over a value of any kind, whose first byte is c.
func value(b []byte, c byte, i, depth int) int {
	switch c {
	case '"':
		return text(b, i+1)
	case '{':
		return anything.mapping(b, i, depth)
	case '[':
		return anything.list(b, i, depth)
	case 't':
		return word(b, i, "true")
	case 'f':
		return word(b, i, "false")
	case 'n':
		return word(b, i, "null")
	}
	return number(b, i)
}

func word(b []byte, i int, w string) int {
	if !has(b, i, w) {
		return bad
	}
	return i + len(w)
}

// has reports whether s stands at i.
func has(b []byte, i int, s string) bool { return len(b)-i >= len(s) && string(b[i:i+len(s)]) == s }

// text passes over a string from behind its first quote. It looks at eight bytes at a time.
func text(b []byte, i int) int {
	for ; len(b)-i >= 8; i += 8 {
		if found := specials(binary.LittleEndian.Uint64(b[i:])); found != 0 {
			if i += bits.TrailingZeros64(found) / 8; b[i] == '"' {
				return i + 1
			}
			break
		}
	}
	return oddText(b, i)
}

// specials has the high bit of the first byte in w set that does not stand for itself in a string. Higher ones may be carried
// over from it.
func specials(w uint64) uint64 { return jsonscan.Specials(w) | jsonscan.Controls(w) }

// oddText is text for strings with escapes, and for those at the very end.
func oddText(b []byte, i int) int {
	for i < len(b) {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return bad
		case c == '\\':
			if i = escape(b, i+1); i < 0 {
				return bad
			}
			// Behind an escape there is mostly a longer piece without.
			for len(b)-i >= 8 && specials(binary.LittleEndian.Uint64(b[i:])) == 0 {
				i += 8
			}
		default:
			i++
		}
	}
	return bad
}

// escape passes over an escape from behind its backslash.
func escape(b []byte, i int) int {
	if i >= len(b) {
		return bad
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		if len(b)-i < len("u0000") {
			return bad
		}
		for _, c := range b[i+1 : i+5] {
			if !isDigit(c) && (c|' ' < 'a' || c|' ' > 'f') {
				return bad
			}
		}
		return i + len("u0000")
	}
	return bad
}

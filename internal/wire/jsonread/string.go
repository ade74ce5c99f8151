package jsonread

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"

	"vedette.dev/internal/wire/jsonscan"
)

// string reads a string that is a value. same says that it is last.
func (d *decoder) string(p *place, last any) (v any, same, ok bool) {
	b, ok := d.plain()
	if !ok {
		return nil, false, false
	}
	if s, is := last.(string); is && s == string(b) {
		return last, true, true
	}
	if d.shares == nil {
		return d.box(b, d.left()), false, true
	}
	if len(b) <= longestString && p.text.ShouldLookUp(stringHits, d.sampled) {
		s, known := d.shares.string(b)
		if known {
			p.text.Hit(d.sampled)
		}
		return boxed(s), false, true
	}
	if d.shares.mutable || d.following {
		return string(b), false, true
	}
	return d.box(b, d.left()), false, true
}

// plain reads what a string says. The bytes are good until the next string is read.
func (d *decoder) plain() ([]byte, bool) {
	rest := d.data[d.pos:]
	at := -1
	if len(rest) > 8 {
		// Most strings are short, and stand for themselves.
		if found := specials(binary.LittleEndian.Uint64(rest[1:])); found != 0 {
			at = 1 + bits.TrailingZeros64(found)/8
		} else if more := special(rest[9:]); more >= 0 {
			at = 9 + more
		}
	}
	if at > 0 && rest[at] == '"' {
		d.pos += at + 1
		return rest[1:at], true
	}
	raw, escaped, ok := quoted(rest)
	if !ok {
		return nil, false
	}
	d.pos += len(raw)
	b := raw[1 : len(raw)-1]
	if !escaped {
		return b, true
	}
	d.scratch, ok = unescape(d.scratch[:0], b)
	return d.scratch, ok
}

// quoted cuts the string with its quotes off the beginning of b. It is in UTF-8 and has no control characters, but escapes may
// be wrong.
func quoted(b []byte) (raw []byte, escaped, ok bool) {
	wide := false
	for i := 1; ; {
		at := special(b[i:])
		if at < 0 {
			return nil, false, false
		}
		i += at
		switch c := b[i]; {
		case c == '"':
			raw = b[:i+1]
			return raw, escaped, !wide || utf8.Valid(raw)
		case c == '\\':
			escaped = true
			if i += 2; i > len(b) {
				return nil, false, false
			}
		case c < ' ':
			return nil, false, false
		default:
			for wide = true; i < len(b) && b[i] >= utf8.RuneSelf; {
				i++
			}
		}
	}
}

// special is where the first byte is that does not stand for itself in a string, or that is not ASCII, or -1. It looks
// at eight bytes at a time.
func special(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if found := specials(binary.LittleEndian.Uint64(b[i:])); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c == '"' || c == '\\' || c < ' ' || c >= utf8.RuneSelf {
			return i
		}
	}
	return -1
}

// specials has the high bit of the first such byte in w set. Higher ones may be carried over from it.
func specials(w uint64) uint64 {
	const notASCII = 0x8080808080808080
	return jsonscan.Specials(w) | jsonscan.Controls(w) | w&notASCII
}

// escapes are the characters that one letter behind a backslash stands for.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape writes what b says behind dst.
func unescape(dst, b []byte) ([]byte, bool) {
	for i := 0; i < len(b); {
		c := b[i]
		if c != '\\' {
			dst = append(dst, c)
			i++
			continue
		}
		if i++; i == len(b) {
			return dst, false
		}
		if plain := escapes[b[i]]; plain != 0 {
			dst = append(dst, plain)
			i++
			continue
		}
		unit, ok := hexUnit(b[i:])
		if !ok {
			return dst, false
		}
		i += len("u0000")
		if utf16.IsSurrogate(unit) {
			// One without the other stands for nothing.
			pair := rune(utf8.RuneError)
			if i < len(b) && b[i] == '\\' {
				if second, ok := hexUnit(b[i+1:]); ok {
					pair = utf16.DecodeRune(unit, second)
				}
			}
			if unit = pair; unit != utf8.RuneError {
				i += len(`\u0000`)
			}
		}
		dst = utf8.AppendRune(dst, unit)
	}
	return dst, true
}

// hexUnit reads a u and four digits at the beginning of b.
func hexUnit(b []byte) (rune, bool) {
	if len(b) < 5 || b[0] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[1:5] {
		switch {
		case isDigit(c):
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

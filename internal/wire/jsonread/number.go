package jsonread

import (
	"bytes"
	"strconv"
)

// safeDigits are so many that no number of them is too large for an int64.
const safeDigits = 18

// number reads a number. It is an int64 if it has no point or exponent and fits, and else a float64.
func (d *decoder) number() (any, bool) {
	b := d.data[d.pos:]
	i := 0
	if len(b) > 0 && b[0] == '-' {
		i = 1
	}
	first := i
	var n int64
	for ; i < len(b) && isDigit(b[i]); i++ {
		n = n*10 + int64(b[i]-'0') // which may be too much, and is not used then
	}
	digits := i - first
	if digits == 0 || digits > 1 && b[first] == '0' {
		return nil, false
	}
	if digits > safeDigits || i < len(b) && (b[i] == '.' || b[i] == 'e' || b[i] == 'E') {
		return d.longNumber(b, i)
	}
	d.pos += i
	if first == 1 {
		n = -n
	}
	return n, true
}

// longNumber reads one whose digits before the point end at i.
func (d *decoder) longNumber(b []byte, i int) (any, bool) {
	ok := true
	if i < len(b) && b[i] == '.' {
		i, ok = digits(b, i+1)
	}
	if ok && i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		i, ok = digits(b, i)
	}
	if !ok {
		return nil, false
	}
	d.pos += i
	text := string(b[:i])
	if bytes.IndexByte(b[:i], '.') < 0 {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, true
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil
}

// digits goes behind the digits at i, of which there must be one.
func digits(b []byte, i int) (int, bool) {
	first := i
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	return i, i > first
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

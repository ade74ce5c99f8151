package jsoncheck

import "strconv"

func isDigit(c byte) bool { return c-'0' <= 9 }

// number passes over a number that a float64 can hold.
func number(b []byte, i int) int {
	begin := i
	if i < len(b) && b[i] == '-' {
		i++
	}
	first := i
	if i = digits(b, i); i < 0 || i-first > 1 && b[first] == '0' {
		return bad
	}
	safe := i-first <= safeDigits
	if i < len(b) && b[i] == '.' {
		if i = digits(b, i+1); i < 0 {
			return bad
		}
	}
	if i < len(b) && b[i]|' ' == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		first = i
		if i = digits(b, i); i < 0 {
			return bad
		}
		safe = safe && i-first <= safeExponent
	}
	if !safe {
		if _, err := strconv.ParseFloat(string(b[begin:i]), 64); err != nil {
			return bad
		}
	}
	return i
}

// A number of so many digits before the point and an exponent of so many digits is far from being too large for a float64.
const (
	safeDigits   = 100
	safeExponent = 2
)

// digits passes over digits, of which there must be one.
func digits(b []byte, i int) int {
	first := i
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	if i == first {
		return bad
	}
	return i
}

// integer passes over an integer that is not larger than most, or, if it is negative, not further from zero than least.
func integer(b []byte, i int, most, least uint64) int {
	if i < len(b) && b[i] == '-' {
		if least == 0 { // not even -0 is good for an unsigned number
			return bad
		}
		most = least
		i++
	}
	first := i
	var n uint64
	for ; i < len(b) && isDigit(b[i]); i++ {
		n = n*10 + uint64(b[i]-'0')
	}
	if i == first || i-first > 1 && b[first] == '0' || i-first > mostDigits || n > most {
		return bad
	}
	return i // a point or an exponent is not what may follow a value
}

// mostDigits are so many that no number of them is too large for an uint64.
const mostDigits = 19

// single passes over a number that a float32 can hold.
func single(b []byte, i int) int {
	end := number(b, i)
	if end < 0 {
		return bad
	}
	if _, err := strconv.ParseFloat(string(b[i:end]), 32); err != nil {
		return bad
	}
	return end
}

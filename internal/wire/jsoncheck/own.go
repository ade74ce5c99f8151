package jsoncheck

import (
	"encoding/json"
	"reflect"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// own passes over a value of a type with a form of its own.
func (n *node) own(b []byte, c byte, i, depth int) int {
	end := value(b, c, i, depth)
	if end < 0 {
		return bad
	}
	v := b[i:end]
	if n.isUsual(v) || reads(n.typ, v) {
		return end
	}
	return bad
}

// reads reports whether a value of type t can be read from v. It asks the type itself, or else the decoder.
func reads(t reflect.Type, v []byte) bool {
	fresh := reflect.New(t).Interface()
	if u, ok := fresh.(json.Unmarshaler); ok {
		return u.UnmarshalJSON(v) == nil
	}
	return utiljson.Unmarshal(v, fresh) == nil
}

// isUsual reports whether a value of a known type is written as usual, and good.
func (n *node) isUsual(v []byte) bool {
	quoted := v[0] == '"'
	switch n.shape {
	case shapeIntOrString:
		const most = 1<<31 - 1
		return quoted || integer(v, 0, most, most+1) == len(v)
	case shapeQuantity:
		if quoted {
			v = v[1 : len(v)-1]
		}
		return isUsualQuantity(v)
	}
	if !quoted {
		return false
	}
	v = v[1 : len(v)-1]
	switch n.shape {
	case shapeTime:
		return isUsualTime(v, "Z")
	case shapeMicroTime:
		return isUsualTime(v, ".000000Z")
	case shapeDuration:
		return isUsualDuration(v)
	}
	return false
}

// isUsualQuantity reports whether v is digits with one of the suffixes.
func isUsualQuantity(v []byte) bool {
	const mostDigits = 18
	i := digits(v, 0)
	if i < 0 || i > mostDigits {
		return false
	}
	switch string(v[i:]) {
	case "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei":
		return true
	}
	return false
}

// isUsualDuration reports whether v is some hours, minutes and seconds, and not too many.
func isUsualDuration(v []byte) bool {
	const mostParts, mostDigits = 3, 5
	for parts := 0; len(v) > 0; parts++ {
		i := digits(v, 0)
		if i < 0 || i > mostDigits || i == len(v) || parts == mostParts {
			return false
		}
		if unit := v[i]; unit != 'h' && unit != 'm' && unit != 's' {
			return false
		}
		if v = v[i+1:]; len(v) == 0 {
			return true
		}
	}
	return false
}

// isUsualTime reports whether v is a time in UTC that ends like the example, in which each zero stands for a digit.
func isUsualTime(v []byte, end string) bool {
	const form = "0000-00-00T00:00:00"
	if len(v) != len(form)+len(end) || !isLike(v, form) || !isLike(v[len(form):], end) {
		return false
	}
	month, day := two(v[5:]), two(v[8:])
	if month < 1 || month > 12 || day < 1 || two(v[11:]) > 23 || two(v[14:]) > 59 || two(v[17:]) > 59 {
		return false
	}
	// Days at the end of a month are left to the decoder, because of leap years.
	return day <= 28 || month != 2 && (day <= 30 || day == 31 && month&1 != month>>3)
}

// isLike reports whether v begins as the form says, in which each zero stands for a digit.
func isLike(v []byte, form string) bool {
	for i := range len(form) {
		if form[i] == '0' {
			if !isDigit(v[i]) {
				return false
			}
		} else if v[i] != form[i] {
			return false
		}
	}
	return true
}

// two is the number that two digits say.
func two(v []byte) int { return int(v[0]-'0')*10 + int(v[1]-'0') }

// base64 passes over a string that is bytes in base64, with no line breaks.
func base64(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return bad
	}
	end := text(b, i+1)
	if end < 0 {
		return bad
	}
	v := b[i+1 : end-1]
	if len(v)%4 != 0 {
		return bad
	}
	for range 2 {
		if len(v) > 0 && v[len(v)-1] == '=' {
			v = v[:len(v)-1]
		}
	}
	strange := byte(0)
	for _, c := range v {
		strange |= notBase64[c]
	}
	if strange != 0 {
		return bad
	}
	return end
}

// notBase64 is 1 for bytes that are not digits in base64.
var notBase64 = func() (table [256]byte) {
	for c := range table {
		letter := byte(c) | ' '
		if !isDigit(byte(c)) && (letter < 'a' || letter > 'z') && c != '+' && c != '/' {
			table[c] = 1
		}
	}
	return table
}()

package object

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// Size is how many bytes a value has as JSON without spaces. It is what decoding made: maps, slices, strings, numbers.
func Size(v any) int {
	switch v := v.(type) {
	case nil:
		return len("null")
	case string:
		return stringSize(v)
	case bool:
		return len(strconv.FormatBool(v))
	case int64:
		var digits [20]byte
		return len(strconv.AppendInt(digits[:0], v, 10))
	case map[string]any:
		n := 2 + max(0, len(v)-1) // braces and commas
		for name, value := range v {
			n += stringSize(name) + 1 + Size(value)
		}
		return n
	case []any:
		n := 2 + max(0, len(v)-1)
		for _, value := range v {
			n += Size(value)
		}
		return n
	}
	data, _ := json.Marshal(v) // a float64, of which there are few
	return len(data)
}

func stringSize(s string) int {
	n := 2
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f':
			n += 2
		case c < 0x20 || c == '<' || c == '>' || c == '&':
			n += 6
		case c < utf8.RuneSelf:
			n++
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == '\u2028' || r == '\u2029' || r == utf8.RuneError && size == 1 {
				n += 6
			} else {
				n += size
			}
			i += size - 1
		}
	}
	return n
}

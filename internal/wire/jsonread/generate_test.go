package jsonread

import (
	"strings"

	"pgregory.net/rapid"
)

// anyValue draws a JSON text of any shape, with odd white space, numbers and escapes. Some are wrong.
func anyValue(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		kind := rapid.IntRange(0, 7).Draw(t, "kind")
		if depth == 0 {
			kind %= 4
		}
		switch kind {
		case 0:
			return rapid.SampledFrom([]string{"null", "true", "false", "{}", "[]", "[ ]", "{ }", "nul", "truE", ""}).Draw(t, "word")
		case 1:
			return anyNumber().Draw(t, "number")
		case 2, 3:
			return anyString().Draw(t, "string")
		case 4, 5:
			parts := rapid.SliceOfN(anyValue(depth-1), 0, 4).Draw(t, "elements")
			return "[" + anySpace(t) + strings.Join(parts, anySpace(t)+","+anySpace(t)) + anySpace(t) + "]"
		}
		return anyObject(depth-1).Draw(t, "object")
	})
}

func anySpace(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "", "", "", "", "", "", "", " ", "\n\t", "\r\n ", "\v"}).Draw(t, "space")
}

func anyNumber() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.Bool().Draw(t, "known") {
			return rapid.SampledFrom([]string{
				"0", "-0", "-0.0", "7", "255", "256", "-1", "1.0", "1e3", "1E-3", "1.5e+10", "01", "-", "-a", "1.", ".5", "1e", "1e+", "+1",
				"999999999999999999", "1000000000000000000", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
				"-9223372036854775809", "12345678901234567890", "1e400", "-1e400", "1e-400", "0x10", "1_000", "NaN", "Infinity", "1.2.3",
			}).Draw(t, "number")
		}
		return rapid.StringMatching(`-?[0-9]{1,21}(\.[0-9]{1,20})?([eE][-+]?[0-9]{1,3})?`).Draw(t, "number")
	})
}

func anyString() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "b", "name", "longer than eight bytes", `\"`, `\\`, `\/`, `\b\f\n\r\t`, `\u0041`, `\u00e9`, `\u003c`, `\u0000`,
			`\ud83d\ude00`, `\ud83d`, `\ude00`, `\ude00\ud83d`, `\ud83dx`, `\ud83d\n`, `\ud83d\u0041`, `\uD83D\uDE00`, "\u2028", "é", "😀",
			"\x7f", "{", "}", "[", "]", ",", ":", " ", strings.Repeat("x", 130), strings.Repeat("y", 170),
		}), 0, 6)
		s := strings.Join(parts.Draw(t, "parts"), "")
		if rapid.IntRange(0, 40).Draw(t, "bad") == 0 {
			s += rapid.SampledFrom([]string{"\xff", "\xed\xa0\x80", "\xe9", "\x01", "\n", `\x`, `\'`, `\u12`, `\u12g4`, `\`, `"`, "\x00"}).Draw(t, "end")
		}
		return `"` + s + `"`
	})
}

// anyObject draws an object. Its names are few, so that some come twice, and there are objects with many.
func anyObject(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var members []string
		for range rapid.SampledFrom([]int{0, 1, 2, 3, 5, 9, 20}).Draw(t, "members") {
			name := rapid.OneOf(anyString(), rapid.SampledFrom([]string{`"a"`, `"b"`, `"c"`, `"\u0061"`, `"fieldsV1"`, `"é"`, `""`, `a`})).Draw(t, "name")
			members = append(members, name+anySpace(t)+":"+anySpace(t)+anyValue(max(depth-1, 0)).Draw(t, "value"))
		}
		return "{" + anySpace(t) + strings.Join(members, anySpace(t)+","+anySpace(t)) + anySpace(t) + "}"
	})
}

// anyText draws what may stand where an object is expected.
func anyText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		s := anySpace(t) + anyObject(4).Draw(t, "object") + anySpace(t)
		switch rapid.IntRange(0, 30).Draw(t, "harm") {
		case 0:
			s += rapid.SampledFrom([]string{"x", "{}", "}", "]", ",", "\x00", "null"}).Draw(t, "behind")
		case 1:
			s = s[:rapid.IntRange(0, len(s)).Draw(t, "cut")]
		case 2:
			s = anyValue(2).Draw(t, "instead")
		}
		return s
	})
}

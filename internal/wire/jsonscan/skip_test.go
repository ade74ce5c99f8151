package jsonscan

import "testing"

func TestSkip(t *testing.T) {
	for text, want := range map[string]int{
		``: -1, `}`: -1, `]`: -1, `,`: -1, `:`: -1, `{`: -1, `[1`: -1, `"a`: -1, `"a\"`: -1, `"a\`: -1,
		`5`: 1, `5,`: 1, `true}`: 4, `null ]`: 4, `-1.5e3,`: 6,
		`""`: 2, `"a"b`: 3, `"\""x`: 4, `"\\"x`: 4, `"a long string without anything"]`: 32,
		`{}x`: 2, `{"a":[{"]":"}"}]},`: 17, `[[],{}] `: 7,
	} {
		if got := Skip([]byte(text)); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

func TestSkipString(t *testing.T) {
	for text, want := range map[string]struct {
		n     int
		plain bool
	}{
		`"`: {-1, false}, `"a`: {-1, false}, `"a\`: {-1, false}, `"a\"`: {-1, false},
		`""`: {2, true}, `"a":1`: {3, true}, `"eight bytes and more":1`: {22, true},
		`"\""`: {4, false}, `"a\u0061":"b"`: {9, false},
	} {
		if n, plain := SkipString([]byte(text)); n != want.n || plain != want.plain {
			t.Errorf("%s: %d, %v, want %v", text, n, plain, want)
		}
	}
}

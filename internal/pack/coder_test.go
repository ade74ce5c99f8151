package pack

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// anyObject draws bytes: random ones, or words that repeat, or digits that have a form of their own.
func anyObject() *rapid.Generator[[]byte] {
	words := rapid.SampledFrom([]string{
		`{"metadata":{"name":"`, `"}}`, "production", "12345678", "0123456789abcdef", "f47ac10b-58cc-4372-a567-0e02b2c3d479", "-", "",
		"F47AC10B-58CC-4372-A567-0E02B2C3D479", "f47ac10b-58cc-4372-a567-0e02b2c3d47", strings.Repeat("a", 300),
		"\x00\x00\x00\x00\x00\x00\x00\x00", "g",
	})
	return rapid.Custom(func(t *rapid.T) []byte {
		if rapid.Bool().Draw(t, "random") {
			return rapid.SliceOfN(rapid.Byte(), 0, 600).Draw(t, "bytes")
		}
		return []byte(strings.Join(rapid.SliceOfN(words, 0, 40).Draw(t, "words"), ""))
	})
}

// anyRelative draws an object that differs from another in a few places.
func anyRelative(of []byte) *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		out := bytes.Clone(of)
		for range rapid.IntRange(0, 5).Draw(t, "changes") {
			from := rapid.IntRange(0, len(out)).Draw(t, "from")
			to := rapid.IntRange(from, min(from+40, len(out))).Draw(t, "to")
			out = bytes.Join([][]byte{out[:from], rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "new"), out[to:]}, nil)
		}
		return out
	})
}

func TestUnpackGivesWhatWasPacked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := anyObject().Draw(t, "base")
		src := anyObject().Draw(t, "object")
		if rapid.Bool().Draw(t, "relative") {
			src = anyRelative(base).Draw(t, "object")
		}
		var e encoder
		for _, index := range []*baseIndex{nil, newIndex(base)} {
			data := e.pack(index, src)
			var from []byte
			if index != nil {
				from = index.bytes
			}
			got, err := unpack([]byte("before"), from, data, true)
			if err != nil || string(got) != "before"+string(src) {
				t.Fatalf("got %q, %v; want %q", got, err, src)
			}
			// The head, a token and its length: nothing is much longer than it was.
			if len(data) > len(src)+16 {
				t.Fatalf("%d bytes became %d", len(src), len(data))
			}
		}
	})
}

func TestLargeObjects(t *testing.T) {
	r := newPods(1).r
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	changed := bytes.Clone(noise)
	for range 50 {
		changed[r.IntN(len(changed))] ^= 1
	}
	moved := append([]byte("some bytes before"), changed...)
	var longer []byte
	for at := 0; at < len(noise); at += 1 << 10 {
		longer = append(append(longer, noise[at:at+1<<10]...), '!')
	}
	for name, c := range map[string]struct {
		base, src []byte
		most      int // bytes that it may take
	}{
		"noise":    {nil, noise, len(noise) + 100},
		"zeros":    {nil, make([]byte, 1<<20), 100},
		"relative": {noise, changed, 1000},
		"moved":    {noise, moved, 3000},
		"longer":   {noise, longer, 8 << 10},
	} {
		var e encoder
		data := e.pack(newIndex(c.base), c.src)
		if got, err := unpack(nil, c.base, data, true); err != nil || !bytes.Equal(got, c.src) {
			t.Errorf("%s: %v, or not the same", name, err)
		}
		if len(data) > c.most {
			t.Errorf("%s: packed it has %d bytes, want at most %d", name, len(data), c.most)
		}
	}
}

// An object of more than maxCopied bytes has no copies, and can be unpacked.
func TestObjectBeyondTheBound(t *testing.T) {
	src := make([]byte, maxCopied+1)
	x := New(Config{}).Pack(src, 1)
	if x.Len() != len(src) || x.Size() < len(src) {
		t.Fatalf("Len %d, Size %d", x.Len(), x.Size())
	}
	if got, err := x.AppendTo(nil); err != nil || !bytes.Equal(got, src) {
		t.Errorf("%v, or not the same", err)
	}
}

func TestHexDigitsTakeHalf(t *testing.T) {
	var e encoder
	for text, most := range map[string]int{
		"containerd://" + newPods(1).hex(64):      5 + 1 + 1 + 13 + 1 + 32,
		string(newPods(1).uid()):                  5 + 1 + 16,
		strings.ToUpper(string(newPods(1).uid())): 5 + 2 + 36,
	} {
		if n := len(e.pack(nil, []byte(text))); n > most {
			t.Errorf("%s takes %d bytes, want at most %d", text, n, most)
		}
	}
}

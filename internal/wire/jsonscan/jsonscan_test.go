package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// anyJSON draws a JSON text of any shape, with odd white space and escapes.
func anyJSON(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		space := rapid.SampledFrom([]string{"", "", " ", "\n\t", "\r\n "})
		kind := rapid.IntRange(0, 6).Draw(t, "kind")
		if depth == 0 {
			kind %= 4
		}
		switch kind {
		case 0:
			return rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "word")
		case 1:
			return rapid.SampledFrom([]string{"0", "-1", "1.5e+10", "12345678901234567890"}).Draw(t, "number")
		case 2, 3:
			return anyString().Draw(t, "string")
		case 4:
			parts := rapid.SliceOfN(anyJSON(depth-1), 0, 4).Draw(t, "elements")
			return "[" + space.Draw(t, "s") + strings.Join(parts, space.Draw(t, "s")+","+space.Draw(t, "s")) + space.Draw(t, "s") + "]"
		}
		return anyObject(depth).Draw(t, "object")
	})
}

func anyString() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", `\"`, `\\`, `\n`, `\u0041`, `\ud83d\ude00`, "{", "}", "[", "]", ",", ":", "é", " ", "name",
		}), 0, 6).Draw(t, "parts")
		return `"` + strings.Join(parts, "") + `"`
	})
}

func anyObject(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		space := rapid.SampledFrom([]string{"", "", " ", "\n"})
		n := rapid.IntRange(0, 4).Draw(t, "members")
		var members []string
		for range n {
			members = append(members, anyString().Draw(t, "name")+space.Draw(t, "s")+":"+space.Draw(t, "s")+anyJSON(max(depth-1, 0)).Draw(t, "value"))
		}
		return "{" + space.Draw(t, "s") + strings.Join(members, space.Draw(t, "s")+",") + space.Draw(t, "s") + "}"
	})
}

func equalJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}

// members is the model: what encoding/json makes of an object.
func members(t interface{ Fatalf(string, ...any) }, text string) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("the generator made bad JSON: %v: %s", err, text)
	}
	return m
}

func TestObjectAgainstEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyObject(3).Draw(t, "object")
		want := members(t, text)
		got := map[string][]byte{}
		o := NewObject([]byte(text))
		for o.Next() {
			got[string(o.Name)] = o.Value
		}
		if o.Err != nil {
			t.Fatalf("%v in %s", o.Err, text)
		}
		if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
			t.Fatalf("names %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
		for name, value := range got {
			if !equalJSON(value, want[name]) {
				t.Fatalf("%q is %s, want %s", name, value, want[name])
			}
		}
	})
}

// readers break a text at different places.
func readers(text string) map[string]io.Reader {
	return map[string]io.Reader{
		"whole":  strings.NewReader(text),
		"bytes":  iotest.OneByteReader(strings.NewReader(text)),
		"halves": iotest.HalfReader(strings.NewReader(text)),
		"eof":    iotest.DataErrReader(strings.NewReader(text)),
	}
}

func TestReaderAgainstEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(anyJSON(3), 0, 5).Draw(t, "values")
		for how, r := range readers(strings.Join(values, "\n")) {
			reader := NewReader(r, 1<<20)
			reader.buf = make([]byte, 8) // so that values do not fit
			for i, want := range values {
				got, err := reader.Value()
				if err != nil || string(got) != want {
					t.Fatalf("%s: value %d is %q, %v; want %q", how, i, got, err, want)
				}
			}
			if v, err := reader.Value(); err != io.EOF {
				t.Fatalf("%s: at the end %q, %v", how, v, err)
			}
		}
	})
}

func TestListReader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOfN(anyObject(2), 0, 5).Draw(t, "items")
		parts := []string{
			`"kind": "PodList"`, `"apiVersion":"v1"`, `"metadata":{"resourceVersion":"7"}`,
			`"items":[` + strings.Join(items, " ,") + `]`, `"more": [1,{"items":[]}]`,
		}
		parts = rapid.Permutation(parts).Draw(t, "order")
		text := "{" + strings.Join(parts, ",\n") + "}"
		for how, r := range readers(text) {
			l := NewListReader(r, 1<<20)
			l.r.buf = make([]byte, 8)
			for i, want := range items {
				if got, err := l.Next(); err != nil || string(got) != want {
					t.Fatalf("%s: item %d is %q, %v; want %q", how, i, got, err, want)
				}
			}
			if v, err := l.Next(); err != io.EOF {
				t.Fatalf("%s: at the end %q, %v", how, v, err)
			}
			if l.Kind != "PodList" || l.APIVersion != "v1" || string(l.Meta) != `{"resourceVersion":"7"}` {
				t.Fatalf("%s: header %q %q %s", how, l.Kind, l.APIVersion, l.Meta)
			}
		}
	})
}

// A list that is cut anywhere must not look whole: objects would seem to have been deleted.
func TestListReaderCutAnywhere(t *testing.T) {
	text := `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[{"a":"}"},{"b":[1,2]}, {}]}`
	for n := range len(text) {
		l := NewListReader(strings.NewReader(text[:n]), 1<<20)
		var err error
		for err == nil {
			_, err = l.Next()
		}
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut after %q: %v", text[:n], err)
		}
	}
}

func TestListReaderErrors(t *testing.T) {
	tests := map[string]string{
		"no object":          `[]`,
		"no items":           `{"kind":"Status"}`,
		"items no array":     `{"items":{}}`,
		"an item no object":  `{"items":[1]}`,
		"items twice":        `{"items":[],"items":[]}`,
		"comma at the end":   `{"items":[{},]}`,
		"no comma":           `{"items":[{} {}]}`,
		"no colon":           `{"items"[]}`,
		"name without quote": `{items:[]}`,
		"kind no string":     `{"kind":7,"items":[]}`,
		"HTML":               `<html>`,
	}
	for name, text := range tests {
		l := NewListReader(strings.NewReader(text), 1<<20)
		var err error
		for err == nil {
			_, err = l.Next()
		}
		if !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	l := NewListReader(strings.NewReader(`{"items":null}`), 1<<20)
	if _, err := l.Next(); err != io.EOF {
		t.Errorf("items null: %v", err)
	}
}

// A value that never ends must not fill the memory.
func TestValueTooLarge(t *testing.T) {
	endless := io.MultiReader(strings.NewReader(`{"items":[{"a":"`), forever('x'))
	l := NewListReader(endless, 1<<20)
	_, err := l.Next()
	if !errors.Is(err, ErrTooLarge) {
		t.Fatalf("got %v", err)
	}
	if len(l.r.buf) > 4<<20 {
		t.Errorf("the buffer has %d bytes", len(l.r.buf))
	}
}

type forever byte

func (f forever) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(f)
	}
	return len(p), nil
}

func TestReadErrorIsKept(t *testing.T) {
	broken := errors.New("broken")
	r := NewReader(io.MultiReader(strings.NewReader(`{"a":`), iotest.ErrReader(broken)), 1<<20)
	if _, err := r.Value(); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func FuzzObject(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1}`, `{"a":{"b":"\"}"},"c":[null]}`, `{"a"`, `{"\u0061":"x"}`, `{"a":]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o := NewObject(data)
		got := map[string][]byte{}
		for o.Next() {
			got[string(o.Name)] = o.Value
		}
		// Only where encoding/json finds an object must we find the same one.
		var want map[string]json.RawMessage
		if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) || json.Unmarshal(data, &want) != nil {
			return
		}
		if o.Err != nil || len(got) != len(want) {
			t.Fatalf("got %q, %v; want %q", got, o.Err, want)
		}
	})
}

func FuzzListReader(f *testing.F) {
	f.Add([]byte(`{"kind":"L","items":[{"a":1},{}],"metadata":{}}`), 3)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		l := NewListReader(bytes.NewReader(data), 1<<16)
		l.r.buf = make([]byte, 1+max(0, size)%64)
		for range len(data) + 2 {
			if _, err := l.Next(); err != nil {
				return
			}
		}
		t.Fatal("more items than bytes")
	})
}

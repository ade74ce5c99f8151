package cborscan

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/fxamacker/cbor/v2"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
)

// model is the library that API servers use, with their limits.
var model = func() cbor.DecMode {
	m, err := cbor.DecOptions{MaxNestedLevels: maxDepth, MaxArrayElements: maxElements, MaxMapPairs: maxPairs}.DecMode()
	if err != nil {
		panic(err)
	}
	return m
}()

func marshal(t testing.TB, v any) []byte {
	t.Helper()
	data, err := direct.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// shuffled is the encoding of v with the entries of all maps in random order, as servers write them, and some tags.
func shuffled(t testing.TB, r *rand.Rand, v any) []byte {
	t.Helper()
	var out []byte
	if r.IntN(8) == 0 {
		out = append(out, 0xd9, 0xd9, 0xf7)
	}
	switch v := v.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		out = appendHead(out, typeMap, uint64(len(v)))
		for _, name := range names {
			out = append(appendHead(out, byte(typeBytes+r.IntN(2)), uint64(len(name))), name...)
			out = append(out, shuffled(t, r, v[name])...)
		}
		return out
	case []any:
		out = appendHead(out, typeArray, uint64(len(v)))
		for _, e := range v {
			out = append(out, shuffled(t, r, e)...)
		}
		return out
	}
	return append(out, marshal(t, v)...)
}

// drawn is a random value, such as is in objects.
func drawn(r *rand.Rand, depth int) any {
	switch n := r.IntN(9); {
	case depth > 0 && n < 3:
		m := map[string]any{}
		for range r.IntN(6) {
			m[fmt.Sprintf("k%d", r.IntN(30))] = drawn(r, depth-1)
		}
		return m
	case depth > 0 && n == 3:
		list := make([]any, r.IntN(5))
		for i := range list {
			list[i] = drawn(r, depth-1)
		}
		return list
	case n == 4:
		return r.Int64N(1<<40) - 1<<39
	case n == 5:
		return r.Float64() * 1e6
	case n == 6:
		return []any{true, false, nil}[r.IntN(3)]
	}
	return strings.Repeat("é", r.IntN(200))
}

// samples are items of all kinds, well-formed and not.
var samples = []string{
	"00", "17", "1818", "19ffff", "1b7fffffffffffffff", "1bffffffffffffffff", "20", "3bffffffffffffffff", "1c", "1f", "18", "1a0000",
	"40", "43616263", "44616263", "5f4161ff", "5f6161ff", "5f5f4161ffff", "5f", "5b7fffffffffffffff", "5bffffffffffffffff", "60", "63616263", "6180", "7f6161ff",
	"80", "83010203", "820102", "8301", "9f0102ff", "9fff", "9f", "9b0000000000000001f6", "9bffffffffffffffff", "9b7fffffffffffffff",
	"a0", "a16161f6", "a2416101416102", "bf6161f6ff", "bf6161ff", "bfff", "a1", "bb0000000000200001", "a10102",
	"c0", "c11a00000000", "c249010000000000000000", "d9d9f7a0", "d9d9f7", "d9d9f7d9d9f7f6", "d64401020304", "df00", "c1ff",
	"f4", "f5", "f6", "f7", "f0", "f8ff", "f818", "f90000", "f97e00", "f97c00", "fa7fc00000", "fb7ff0000000000000", "fb3ff199999999999a", "ff", "fc", "",
	"0000", "a16161f6a0", "81818181f6",
}

func sample(t testing.TB, s string) []byte {
	data, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// compare checks that one item in data is found as the library finds it, at once, in pieces, and with all limits.
func compare(t testing.TB, data []byte) {
	t.Helper()
	_, rest, err := func() (v any, rest []byte, err error) {
		var raw cbor.RawMessage
		rest, err = model.UnmarshalFirst(data, &raw)
		return raw, rest, err
	}()
	wellformed := model.Wellformed(data)
	if err != nil {
		// The library also checks what tags are put to when it decodes, which Wellformed does not.
		var extra *cbor.ExtraneousDataError
		if wellformed == nil || errors.As(wellformed, &extra) {
			err = nil
			rest = data[len(data):]
			if extra != nil {
				for n := range data {
					if model.Wellformed(data[:n]) == nil {
						rest = data[n:]
						break
					}
				}
			}
		}
	}
	n, got := Skip(data)
	if (got == nil) != (err == nil) || got == nil && n != len(data)-len(rest) {
		t.Fatalf("%x: %d bytes, %v; want %d, %v", data, n, got, len(data)-len(rest), err)
	}
	v, streamErr := NewReader(iotest.OneByteReader(bytes.NewReader(data)), 1<<20).Value()
	if (streamErr == nil) != (got == nil) || got == nil && !bytes.Equal(v, data[:n]) {
		t.Fatalf("%x: from a stream %x, %v; want %x, %v", data, v, streamErr, data[:n], got)
	}
	if streamErr == io.EOF && len(data) > 0 {
		t.Fatalf("%x: an end within an item is %v", data, streamErr)
	}
}

func TestSkip(t *testing.T) {
	for _, s := range samples {
		compare(t, sample(t, s))
	}
	for _, deep := range []int{maxDepth - 1, maxDepth, maxDepth + 1} {
		for _, head := range []string{"\x81", "\xc9", "\x9f", "\xa1\x01"} {
			data := []byte(strings.Repeat(head, deep) + "\xf6")
			if head == "\x9f" {
				data = append(data, strings.Repeat("\xff", deep)...)
			}
			compare(t, data)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		data := shuffled(t, r, drawn(r, 5))
		compare(t, data)
		compare(t, data[:r.IntN(len(data))])
		data[r.IntN(len(data))] ^= 1 << r.IntN(8)
		compare(t, data)
	}
}

func FuzzSkip(f *testing.F) {
	for _, s := range samples {
		f.Add(sample(f, s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<12 {
			return
		}
		compare(t, data)
	})
}

// walk decodes an item with Map, Array and the functions for what is not in others, or says that it cannot.
func walk(item []byte) (any, error) {
	c, ok, err := Open(Bare(item))
	switch {
	case err != nil:
		return nil, err
	case ok && c.Map:
		out := map[string]any{}
		m := NewMap(item)
		for m.Next() {
			name := string(m.Name)
			if out[name], err = walk(m.Value); err != nil {
				return nil, err
			}
		}
		return out, m.Err
	case ok:
		out := []any{}
		a := NewArray(item)
		for a.Next() {
			v, err := walk(a.Value)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, a.Err
	case IsNull(item):
		return nil, nil
	}
	if n, err := Int(item); err == nil {
		return n, nil
	}
	if b, err := Bool(item); err == nil {
		return b, nil
	}
	if s, err := Text(item); err == nil {
		return string(s), nil
	}
	var f float64
	return f, direct.Unmarshal(item, &f)
}

func TestWalk(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		v := drawn(r, 5)
		got, err := walk(shuffled(t, r, v))
		if err != nil || !reflect.DeepEqual(got, v) {
			t.Fatalf("%v, %v; want %v", got, err, v)
		}
	}
	for data, want := range map[string]any{
		"bf7f61616162ff01ff": map[string]any{"ab": int64(1)}, "5f41614162ff": "ab", "9f0102ff": []any{int64(1), int64(2)}, "a1d9d9f7616120": map[string]any{"a": int64(-1)},
	} {
		if got, err := walk(sample(t, data)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v; want %v", data, got, err, want)
		}
	}
	for _, data := range []string{"7f6161", "a10102", "a1", "bf6161", "9f", ""} {
		if got, err := walk(sample(t, data)); err == nil {
			t.Errorf("%s: %v", data, got)
		}
	}
}

func TestCanonical(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		v := map[string]any{"a": drawn(r, 4), "b": drawn(r, 4)}
		one, ok := Canonical([]byte("x"), shuffled(t, r, v))
		if !ok || one[0] != 'x' {
			t.Fatalf("%v: it is refused", v)
		}
		var got map[string]any
		if err := direct.Unmarshal(one[1:], &got); err != nil || !reflect.DeepEqual(got, v) {
			t.Fatalf("%v, %v; want %v", got, err, v)
		}
	}
	v := map[string]any{"z": "1", "a": int64(2), "m": map[string]any{"b": nil, "a": true}}
	text := func(seed uint64) string {
		r := rand.New(rand.NewPCG(seed, 7))
		data := shuffled(t, r, v)
		out, ok := Canonical(nil, data)
		if !ok {
			t.Fatal("it is refused")
		}
		for i := range out { // a key may be a byte string or a text string, which is not changed
			if out[i]>>5 == typeText && i+1 < len(out) {
				out[i] = typeBytes<<5 | out[i]&31
			}
		}
		return string(out)
	}
	for seed := range uint64(20) {
		if text(seed) != text(0) {
			t.Fatalf("%x and %x", text(seed), text(0))
		}
	}
	for _, s := range []string{"", "a2416101416102", "a24161016161f6", "a3416101416202416103", "a161611bffffffffffffffff", "a16161f97e00", "a16161f7", "a1616161ff", "bf6161f6ff",
		"a1617f6161ff01", "a16161c11a00000000", "a16161d60a", "a10102", "80", "f6", "a0f6", "a1", "a16161"} {
		if out, ok := Canonical([]byte("x"), sample(t, s)); ok || string(out) != "x" {
			t.Errorf("%s is said to be certain: %x", s, out)
		}
	}
	if _, ok := Canonical(nil, sample(t, "a16161d64401020304")); !ok {
		t.Error("bytes are refused")
	}
	if _, ok := Canonical(nil, []byte("\xa1aa"+strings.Repeat("\x81", deepest+1)+"\xf6")); ok {
		t.Error("what is too deep is not")
	}
}

// FuzzCanonical: what is said to be certain can be decoded, and says the same.
func FuzzCanonical(f *testing.F) {
	for _, s := range samples {
		f.Add(sample(f, s))
	}
	f.Add(sample(f, "a2616203616102"))
	f.Fuzz(func(t *testing.T, data []byte) {
		out, ok := Canonical(nil, data)
		if !ok {
			return
		}
		var want, got map[string]any
		if err := direct.Unmarshal(data, &want); err != nil {
			t.Fatalf("%x cannot be decoded: %v", data, err)
		}
		if err := direct.Unmarshal(out, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%x became %x, %v; want %v", data, out, err, want)
		}
		again, ok := Canonical(nil, out)
		if !ok || !bytes.Equal(again, out) {
			t.Fatalf("%x became %x, and that %x", data, out, again)
		}
	})
}

func TestReader(t *testing.T) {
	var stream []byte
	r := rand.New(rand.NewPCG(8, 9))
	var want [][]byte
	for range 100 {
		item := shuffled(t, r, drawn(r, 5))
		want = append(want, item)
		stream = append(stream, item...)
	}
	want = append(want, marshal(t, strings.Repeat("x", 3*bufferSize)))
	stream = append(stream, want[len(want)-1]...)
	reader := NewReader(iotest.HalfReader(bytes.NewReader(stream)), 1<<20)
	for i, w := range want {
		got, err := reader.Value()
		if err != nil || !bytes.Equal(got, w) {
			t.Fatalf("item %d: %x, %v; want %x", i, got, err, w)
		}
	}
	if _, err := reader.Value(); err != io.EOF {
		t.Errorf("the end is %v", err)
	}
	for _, s := range []string{"d9d9f7", "a1", "43ab", "9f01", "1b"} {
		if _, err := NewReader(bytes.NewReader(sample(t, s)), 100).Value(); err != io.ErrUnexpectedEOF {
			t.Errorf("%s: %v", s, err)
		}
	}
	broken := errors.New("broken")
	if _, err := NewReader(io.MultiReader(strings.NewReader("\x43a"), iotest.ErrReader(broken)), 100).Value(); !errors.Is(err, broken) {
		t.Errorf("a broken connection is %v", err)
	}
}

// endlessly is a reader without an end, of which much is read only by who believes a length.
type endlessly struct{ n int }

func (e *endlessly) Read(p []byte) (int, error) {
	e.n += len(p)
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestLimits(t *testing.T) {
	for _, head := range []string{"\x5b\x00\x00\x00\xff\x00\x00\x00\x00", "\x5a\x7f\xff\xff\xff"} {
		rest := &endlessly{}
		if _, err := NewReader(io.MultiReader(strings.NewReader(head), rest), 1000).Value(); !errors.Is(err, ErrTooLarge) || rest.n > 2*bufferSize {
			t.Errorf("%x: %v after %d bytes", head, err, rest.n)
		}
	}
	rest := &endlessly{}
	if _, err := NewReader(io.MultiReader(strings.NewReader("\x9b\x00\x00\x00\x00\x7f\xff\xff\xff"), rest), 1<<18).Value(); err == nil || rest.n > 1<<21 {
		t.Errorf("an array that does not end: %v after %d bytes", err, rest.n)
	}
	if _, err := NewReader(bytes.NewReader(marshal(t, strings.Repeat("x", 1001))), 1000).Value(); !errors.Is(err, ErrTooLarge) {
		t.Errorf("an item that is too large: %v", err)
	}
}

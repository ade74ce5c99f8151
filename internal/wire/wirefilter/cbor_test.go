package wirefilter

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"

	"vedette.dev/internal/wire/cborread"
	"vedette.dev/internal/wire/cborscan"
)

// inCBOR is an object with the entries of its maps in random order.
func inCBOR(t testing.TB, obj any) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := cbor.NewSerializer(nil, nil).EncodeNondeterministic(obj.(runtime.Object), &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// checkAnyCBOR: what decodes also decodes when it was filtered, to what the filter leaves of the object.
func checkAnyCBOR(t *testing.T, f *Filter, example message, data []byte) (decoded bool) {
	t.Helper()
	given := slices.Clone(data)
	filtered, err := f.CBOR(nil, data)
	if !bytes.Equal(given, data) {
		t.Fatal("the source has changed")
	}
	if len(filtered) > len(data) {
		t.Fatalf("%d bytes became %d", len(data), len(filtered))
	}
	inPlace, placeErr := f.CBOR(given[:0], given)
	if (placeErr == nil) != (err == nil) || err == nil && !bytes.Equal(inPlace, filtered) {
		t.Fatalf("%x became %x, %v; and in place %x, %v", data, filtered, err, inPlace, placeErr)
	}
	want, got := another(example), another(example)
	if cborscan.IsNull(data) || cborread.Into(data, want) != nil {
		return false
	}
	if err != nil {
		// Tags mean something to the decoder only, and it does not look at a map where none is expected.
		if slices.ContainsFunc(data, func(c byte) bool { return c>>5 == 6 }) {
			return false
		}
		t.Fatalf("%x: %v", data, err)
	}
	if err := cborread.Into(filtered, got); err != nil {
		t.Fatalf("%x became %x: %v", data, filtered, err)
	}
	if err := f.Object(want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%x became %x: %+v; want %+v", data, filtered, got, want)
	}
	return true
}

func TestCBOR(t *testing.T) {
	decoded := 0
	const rounds = 300
	for seed := range int64(rounds) {
		example := fuzzed[seed%int64(len(fuzzed))]
		obj := another(example)
		filler(seed).NumElements(1, 2).NilChance(0.2).Fill(obj)
		if _, ok := obj.(runtime.Object); !ok {
			continue
		}
		if checkAnyCBOR(t, drawFilter(t, example, seed%2 == 0, seed), example, inCBOR(t, obj)) {
			decoded++
		}
	}
	if decoded < rounds/2 {
		t.Errorf("only %d of %d objects could be decoded", decoded, rounds)
	}
}

func TestCBORDynamic(t *testing.T) {
	f, err := Keep(&unstructured.Unstructured{}, "spec.parts.name", "metadata.labels[a]")
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"kind": "A", "apiVersion": "v1", "status": "x", "metadata": map[string]any{"name": "n", "labels": map[string]any{"a": "1", "b": "2"}, "annotations": nil},
		"spec": map[string]any{"parts": []any{map[string]any{"name": "p", "size": int64(3)}, nil, "x"}, "more": true},
	}}
	want := map[string]any{
		"kind": "A", "apiVersion": "v1", "metadata": map[string]any{"name": "n", "labels": map[string]any{"a": "1"}},
		"spec": map[string]any{"parts": []any{map[string]any{"name": "p"}, nil, "x"}},
	}
	data := inCBOR(t, u)
	// The same without lengths, and with names in pieces.
	endless := []byte("\xbf\x7f\x62ki\x62nd\xff\x61A\x44more\x9f\x01\xff\x44spec\xbf\x45parts\x9f\xbf\x44name\x41p\x44size\x03\xff\xf6\x41x\xff\xff" +
		"\x4aapiVersion\x42v1\x48metadata\xb8\x02\x44name\x41n\x46labels\xb9\x00\x02\x41a\x411\x41b\x412\xff")
	for _, data := range [][]byte{data, endless} {
		out, err := f.CBOR([]byte("x"), data)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := direct.Unmarshal(out[1:], &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
		for n := range data {
			if out, err := f.CBOR([]byte("x"), data[:n]); !errors.Is(err, cborscan.ErrMalformed) || string(out) != "x" {
				t.Fatalf("cut after %d of %d bytes: %q, %v", n, len(data), out, err)
			}
		}
	}
	for _, wrong := range []string{"\x80", "\xa0\xa0", "\xa1\x01\x02", "\x01", "\xa1Dspec\xff"} {
		if _, err := f.CBOR(nil, []byte(wrong)); !errors.Is(err, cborscan.ErrMalformed) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// FuzzCBOR: whatever decodes also decodes when it was filtered, to what the filter leaves of the object.
func FuzzCBOR(f *testing.F) {
	for i, example := range fuzzed {
		obj := another(example)
		filler(int64(i)).NumElements(1, 2).NilChance(0.1).Fill(obj)
		if _, ok := obj.(runtime.Object); !ok {
			continue
		}
		f.Add(uint8(i), true, int64(i), inCBOR(f, obj))
		f.Add(uint8(i), false, int64(i), inCBOR(f, obj))
	}
	f.Fuzz(func(t *testing.T, kind uint8, keep bool, seed int64, data []byte) {
		example := fuzzed[int(kind)%len(fuzzed)]
		if _, ok := any(example).(runtime.Object); !ok {
			return
		}
		checkAnyCBOR(t, drawFilter(t, example, keep, seed), example, data)
	})
}

package cborscan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
)

func object(i int, named bool) map[string]any {
	o := map[string]any{"metadata": map[string]any{"name": fmt.Sprint("o", i)}, "spec": strings.Repeat("x", 100)}
	if named {
		o["kind"], o["apiVersion"] = "Widget", "example.com/v1"
	}
	return o
}

// readAll reads a list to its end.
func readAll(r io.Reader, limit int, most int64) (items []any, l *ListReader, err error) {
	l = NewListReader(r, limit, most)
	for {
		data, err := l.Next()
		if err == io.EOF {
			return items, l, nil
		}
		if err != nil {
			return items, l, err
		}
		var v any
		if err := direct.Unmarshal(data, &v); err != nil {
			return items, l, err
		}
		items = append(items, v)
	}
}

// TestList reads lists with their entries in random order.
func TestList(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for round := range 300 {
		named := round%2 == 0
		items := []any{}
		for i := range r.IntN(8) {
			items = append(items, object(i, named))
		}
		list := map[string]any{
			"kind": "WidgetList", "apiVersion": "example.com/v1", "items": items,
			"metadata": map[string]any{"resourceVersion": "7"}, "more": []any{true},
		}
		data := shuffled(t, r, list)
		got, l, err := readAll(iotest.HalfReader(bytes.NewReader(data)), 1<<20, 1<<20)
		if err != nil || len(got) != len(items) || len(items) > 0 && !reflect.DeepEqual(got, items) {
			t.Fatalf("%v, %v; want %v", got, err, items)
		}
		var meta map[string]any
		if err := direct.Unmarshal(l.Meta, &meta); err != nil || meta["resourceVersion"] != "7" || l.Kind != "WidgetList" || l.APIVersion != "example.com/v1" {
			t.Fatalf("%q %q %v, %v", l.Kind, l.APIVersion, meta, err)
		}
		if _, err := l.Next(); err != io.EOF {
			t.Fatalf("behind the end: %v", err)
		}
		// Wherever it is cut, it does not look complete.
		cut := r.IntN(len(data))
		if got, _, err := readAll(bytes.NewReader(data[:cut]), 1<<20, 1<<20); err != io.ErrUnexpectedEOF {
			t.Fatalf("cut after %d of %d bytes: %d items, %v", cut, len(data), len(got), err)
		}
	}
}

// TestListKindFirst: an item whose list says its kind behind the items has it nevertheless.
func TestListKindFirst(t *testing.T) {
	pair := func(name string, v any) []byte { return append(marshal(t, name), marshal(t, v)...) }
	for _, test := range []struct {
		named   bool
		most    int64
		held    bool
		refused bool
	}{{named: true, most: 1}, {most: 1000, held: true}, {most: 100, refused: true}} {
		data := []byte{0xbf}
		data = append(data, pair("items", []any{object(1, test.named), object(2, test.named)})...)
		data = append(data, pair("kind", "WidgetList")...)
		data = append(data, pair("apiVersion", "v1")...)
		data = append(data, breakItem)
		l := NewListReader(iotest.OneByteReader(bytes.NewReader(data)), 1<<20, test.most)
		_, err := l.Next()
		if test.refused {
			if !errors.Is(err, ErrTooLarge) {
				t.Errorf("%+v: %v", test, err)
			}
			continue
		}
		if err != nil || (l.Kind != "") != test.held {
			t.Errorf("%+v: kind %q, %v", test, l.Kind, err)
		}
	}
}

func TestListWrong(t *testing.T) {
	for text, data := range map[string][]byte{
		"not a map":       marshal(t, []any{1}),
		"no items":        marshal(t, map[string]any{"kind": "Status"}),
		"items no array":  marshal(t, map[string]any{"items": "x"}),
		"item no map":     marshal(t, map[string]any{"items": []any{"x"}}),
		"kind a number":   marshal(t, map[string]any{"items": []any{}, "kind": 3}),
		"items twice":     append(append([]byte{0xa2}, []byte("\x45items\x80")...), []byte("\x45items\x80")...),
		"kind twice":      []byte("\xa3\x44kind\x41a\x44kind\x41b\x45items\x80"),
		"key a number":    []byte("\xa1\x01\x80"),
		"break in a list": []byte("\xa1\x45items\x81\xff"),
	} {
		if items, _, err := readAll(bytes.NewReader(data), 1<<20, 1<<20); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v, %v", text, items, err)
		}
	}
	if items, _, err := readAll(bytes.NewReader(marshal(t, map[string]any{"items": nil})), 100, 100); err != nil || len(items) != 0 {
		t.Errorf("items that are null: %v, %v", items, err)
	}
	if _, _, err := readAll(strings.NewReader(""), 100, 100); err != io.ErrUnexpectedEOF {
		t.Errorf("nothing: %v", err)
	}
	if _, _, err := readAll(bytes.NewReader(marshal(t, map[string]any{"items": []any{object(1, true)}})), 50, 1000); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a large item: %v", err)
	}
}

// FuzzList: a list that can be decoded as a whole has the same items, and one that cannot be read ends in an error.
func FuzzList(f *testing.F) {
	r := rand.New(rand.NewPCG(2, 2))
	f.Add(marshal(f, map[string]any{"items": []any{object(1, true), object(2, false)}, "kind": "List", "apiVersion": "v1"}))
	f.Add(shuffled(f, r, map[string]any{"items": []any{object(1, false)}, "kind": "List", "apiVersion": "v1", "metadata": map[string]any{}}))
	f.Add([]byte("\xbf\x45items\x9f\xa0\xbf\xff\xff\x44kind\x41a\xff"))
	for _, s := range samples {
		f.Add(sample(f, s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<12 {
			return
		}
		var want map[string]any
		wantErr := direct.Unmarshal(data, &want)
		got, l, err := readAll(bytes.NewReader(data), 1<<16, 1<<16)
		if wantErr != nil {
			return // only the decoder of an item, or of the metadata, may see what is wrong
		}
		items, isList := want["items"].([]any)
		if _, has := want["items"]; !has || want["items"] != nil && !isList {
			if err == nil {
				t.Fatalf("%x is read as a list of %v", data, got)
			}
			return
		}
		for _, item := range items {
			if _, ok := item.(map[string]any); !ok {
				if err == nil {
					t.Fatalf("%x is read as a list of %v", data, got)
				}
				return
			}
		}
		kind, isText := want["kind"].(string)
		apiVersion, isAlsoText := want["apiVersion"].(string)
		usual := (isText || want["kind"] == nil) && (isAlsoText || want["apiVersion"] == nil) &&
			!slices.ContainsFunc(data, func(c byte) bool { return c>>5 == typeTag })
		if err != nil {
			if usual {
				t.Fatalf("%x: %v", data, err)
			}
			return // tags mean something to the decoder only
		}
		if len(got) != len(items) || len(items) > 0 && !reflect.DeepEqual(got, items) || l.Kind != kind || l.APIVersion != apiVersion {
			t.Fatalf("%x is read as %v of %q; want %v of %q", data, got, l.Kind, items, kind)
		}
	})
}

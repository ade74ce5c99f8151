package jsonread

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"vedette.dev/internal/mutate"
)

func plainly(t testing.TB, text []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := utiljson.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestWhatHasNotChangedIsTakenOver has parts of an object be those of the state before, if they are equal.
func TestWhatHasNotChangedIsTakenOver(t *testing.T) {
	shares := NewShares(Sharing{})
	var last map[string]any
	var got []map[string]any
	for _, node := range []string{"node-17", "node-18"} {
		text := []byte(fmt.Sprintf(pod, "a"))
		text = []byte(string(text[:len(text)-1]) + `,"status":{"node":"` + node + `","n":1234}}`)
		obj, err := DecodeNext(text, shares, last)
		if want := plainly(t, text); err != nil || !reflect.DeepEqual(obj, want) {
			t.Fatalf("got %v, %v, want %v", obj, err, want)
		}
		got, last = append(got, obj), obj
	}
	for _, path := range [][]any{{"metadata"}, {"spec"}, {"spec", "containers"}, {"spec", "containers", 0, "env"}, {"spec", "containers", 0, "empty"}} {
		if !same(at(got[0], path...), at(got[1], path...)) {
			t.Errorf("%v was decoded again", path)
		}
	}
	if same(got[0]["status"], got[1]["status"]) || same(got[0], got[1]) {
		t.Error("what has changed is the same")
	}
	again, err := DecodeNext([]byte(`{"a":{"b":1,"b":1}}`), shares, map[string]any{"a": map[string]any{"b": int64(1), "c": int64(1)}})
	if want := map[string]any{"a": map[string]any{"b": int64(1)}}; err != nil || !reflect.DeepEqual(again, want) {
		t.Errorf("a name that comes twice: got %v, %v, want %v", again, err, want)
	}
}

// TestAWrittenPartIsDecodedAnew writes to objects at random places. Neither later states nor other objects have what was written.
func TestAWrittenPartIsDecodedAnew(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	eachKind(t, 1, func(kind string, data []byte) {
		want := plainly(t, data)
		for _, what := range []Sharing{{}, {Parts: true}} {
			shares := NewShares(what)
			first, errFirst := Decode(data, shares)
			second, errSecond := Decode(data, shares)
			if errFirst != nil || errSecond != nil {
				t.Fatal(kind, errFirst, errSecond)
			}
			if path := mutate.Shared(first, second); path != "" && !what.Parts {
				t.Fatalf("%s: two objects have the same %s", kind, path)
			}
			for range 3 {
				written := mutate.Object(r, first)
				if !what.Parts && !reflect.DeepEqual(second, want) {
					t.Fatalf("%s: %s was written, and is in another object", kind, written)
				}
				for i, last := range []map[string]any{first, nil} {
					if next, err := DecodeNext(data, shares, last); err != nil || !reflect.DeepEqual(next, want) {
						t.Fatalf("%s, %+v, %d: %s was written, and is in a later object: %v\ngot  %+v\nwant %+v", kind, what, i, written, err, next, want)
					}
				}
			}
		}
	})
}

// FuzzDecodeNext decodes two texts one after the other.
func FuzzDecodeNext(f *testing.F) {
	text := fmt.Sprintf(pod, "a")
	f.Add([]byte(text), []byte(fmt.Sprintf(pod, "b")))
	f.Add([]byte(`{"a":[1,{"b":null}],"c":"d"}`), []byte(`{"a":[1,{"b":null},2],"c":"d","c":"d"}`))
	all := []*Shares{NewShares(Sharing{}), NewShares(Sharing{Parts: true})}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		for _, shares := range all {
			var last map[string]any
			for _, data := range [][]byte{first, second, first} {
				obj, err := DecodeNext(data, shares, last)
				var want map[string]any
				if wantErr := utiljson.Unmarshal(data, &want); (err == nil) != (wantErr == nil) {
					t.Fatalf("error %v, want %v", err, wantErr)
				}
				if err != nil {
					continue
				}
				if !reflect.DeepEqual(obj, want) {
					t.Fatalf("got %v, want %v", obj, want)
				}
				last = obj
			}
		}
	})
}

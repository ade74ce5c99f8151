package wirefilter

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/randfill"

	"vedette.dev/internal/testsize"
	"vedette.dev/kubernetes/scheme"
)

// message is what all built-in types are.
type message interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// builtIn are all built-in types, each once.
func builtIn() []reflect.Type {
	types := map[string]reflect.Type{}
	for gvk, t := range scheme.Scheme.AllKnownTypes() {
		if gvk.Version != runtime.APIVersionInternal {
			types[t.PkgPath()+"."+t.Name()] = t
		}
	}
	var out []reflect.Type
	for _, name := range slices.Sorted(maps.Keys(types)) {
		out = append(out, types[name])
	}
	return out
}

// The keys that maps get in tests, with what JSON and protobuf write in their own ways.
var testKeys = []string{"a", "example.com/owner", "with \"quotes\" and \\", "ключ", "<&>", "{[,:"}

// filler fills objects so that all that can be there often is.
func filler(seed int64) *randfill.Filler {
	words := []string{"", "a", "text", "\"\\\n", "日本", "{\"metadata\":{}}", "<&>\u2028", string(make([]byte, 200))}
	f := fuzzer.FuzzerFor(metafuzzer.Funcs, rand.NewSource(seed), scheme.Codecs)
	f.NilChance(.2).NumElements(0, 2).Funcs(
		func(s *string, c randfill.Continue) { *s = words[c.Rand.Intn(len(words))] },
		fillMap[string], fillMap[[]byte],
	)
	return f
}

func fillMap[V any](m *map[string]V, c randfill.Continue) {
	*m = map[string]V{}
	for range c.Rand.Intn(3) {
		var v V
		c.Fill(&v)
		(*m)[testKeys[c.Rand.Intn(len(testKeys))]] = v
	}
}

// What a filter leaves of the bytes decodes to what it leaves of the object, for every built-in kind and in both forms.
func TestEveryKindIsFilteredAlikeInEveryForm(t *testing.T) {
	const rounds = 1
	for i, typ := range builtIn() {
		if i%testsize.Of(1, 5) != 0 {
			continue
		}
		for round := range rounds {
			seed := int64(i*rounds + round)
			r := rand.New(rand.NewSource(seed))
			obj := reflect.New(typ).Interface()
			filler(seed).Fill(obj)
			setType(obj)
			p := &paths{r: r, keys: append(keysIn(obj), testKeys...)}
			drawn := p.some(typ, 1+r.Intn(8))
			checkKind(t, obj.(message), true, drawn)
			checkKind(t, obj.(message), false, slices.DeleteFunc(drawn, isIdentity))
			if t.Failed() {
				t.Fatalf("%s, round %d", typ, round)
			}
		}
	}
}

func isIdentity(d drawn) bool { return slices.Contains(identity, d.text) }

func setType(obj any) {
	if o, ok := obj.(runtime.Object); ok {
		if gvks, _, err := scheme.Scheme.ObjectKinds(o); err == nil {
			o.GetObjectKind().SetGroupVersionKind(gvks[0])
		}
	}
}

// keysIn are the keys of the maps in an object.
func keysIn(obj any) []string {
	keys := map[string]bool{}
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		case reflect.Map:
			for _, k := range v.MapKeys() {
				if k.Kind() == reflect.String && k.String() != "" && !strings.ContainsAny(k.String(), "]\ufffd") {
					keys[k.String()] = true
				}
			}
		}
	}
	walk(reflect.ValueOf(obj))
	return slices.Sorted(maps.Keys(keys))
}

func checkKind(t *testing.T, obj message, keep bool, paths []drawn) {
	t.Helper()
	make := Drop
	if keep {
		make = Keep
	}
	f, err := make(obj, texts(paths)...)
	if err != nil {
		t.Errorf("%q: %v", texts(paths), err)
		return
	}
	body, err := obj.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	what := fmt.Sprintf("keep %v, paths %q", keep, texts(paths))
	checkProtobuf(t, f, obj, body, what)
	checkJSON(t, f, obj, text, keep, paths, what)
}

func checkProtobuf(t *testing.T, f *Filter, example any, body []byte, what string) {
	t.Helper()
	want, got := another(example).(message), another(example).(message)
	if err := want.Unmarshal(body); err != nil {
		t.Fatal(err)
	}
	if err := f.Object(want); err != nil {
		t.Fatal(err)
	}
	filtered, err := f.Protobuf([]byte("before"), body)
	if err != nil {
		t.Fatal(err)
	}
	filtered = filtered[len("before"):]
	if err := got.Unmarshal(filtered); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	compare(t, "protobuf, "+what, want, got)
	if len(filtered) > len(body) {
		t.Errorf("%s: %d bytes became %d", what, len(body), len(filtered))
	}
	inPlace, err := f.Protobuf(body[:0], body)
	if err != nil || string(inPlace) != string(filtered) {
		t.Errorf("%s: other bytes in place, or %v", what, err)
	}
}

func checkJSON(t *testing.T, f *Filter, example any, text []byte, keep bool, paths []drawn, what string) {
	t.Helper()
	want, got := another(example), another(example)
	if err := utiljson.Unmarshal(text, want); err != nil {
		t.Fatal(err)
	}
	if err := f.Object(want); err != nil {
		t.Fatal(err)
	}
	filtered, err := f.JSON([]byte("before"), text)
	if err != nil {
		t.Fatal(err)
	}
	filtered = filtered[len("before"):]
	if err := utiljson.Unmarshal(filtered, got); err != nil {
		t.Fatalf("%s: %v\n%s", what, err, filtered)
	}
	compare(t, "JSON, "+what, want, got)

	// The plain way, and the way of unstructured objects.
	plain := project(content(t, text), keep, paths)
	if !reflect.DeepEqual(sparse(plain), sparse(content(t, filtered))) {
		t.Errorf("JSON, %s: got %s\nwant %v", what, filtered, plain)
	}
	again, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(sparse(plain), sparse(content(t, again))) {
		t.Errorf("object, %s: got %s\nwant %v", what, again, plain)
	}
	u := &unstructured.Unstructured{Object: content(t, text)}
	if err := f.Object(u); err != nil || !reflect.DeepEqual(u.Object, content(t, filtered)) {
		t.Errorf("unstructured, %s: got %v (%v)\nwant %s", what, u.Object, err, filtered)
	}
	inPlace, err := f.JSON(text[:0], text)
	if err != nil || string(inPlace) != string(filtered) {
		t.Errorf("%s: other bytes in place, or %v", what, err)
	}
}

func content(t *testing.T, text []byte) (out map[string]any) {
	t.Helper()
	if err := utiljson.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func another(example any) any { return reflect.New(reflect.TypeOf(example).Elem()).Interface() }

func compare(t *testing.T, what string, want, got any) {
	t.Helper()
	level(reflect.ValueOf(want))
	level(reflect.ValueOf(got))
	if !reflect.DeepEqual(want, got) {
		w, _ := json.Marshal(want)
		g, _ := json.Marshal(got)
		t.Errorf("%s:\ngot  %s\nwant %s", what, g, w)
	}
}

// level makes maps without entries nil. That is the only difference there may be: protobuf does not know a map that is empty, so
// one of which every key has gone is nil when it was decoded, and empty when it was filtered afterwards.
func level(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			level(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			level(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				level(v.Field(i))
			}
		}
	case reflect.Map:
		if v.Len() == 0 && v.CanSet() {
			v.SetZero()
		}
	}
}

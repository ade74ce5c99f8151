package codec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"

	"vedette.dev/internal/mutate"
	"vedette.dev/internal/wire/wirefilter"
	"vedette.dev/rest"
)

// widget is a random custom resource.
func widget(r *rand.Rand, name string, version int) *unstructured.Unstructured {
	fields := map[string]any{}
	for range r.IntN(20) {
		fields[fmt.Sprintf("f:field%d", r.IntN(30))] = map[string]any{}
	}
	spec := map[string]any{"replicas": r.Int64N(5), "ratio": r.Float64() + 0.5, "paused": r.IntN(2) == 0, "nothing": nil}
	list := []any{}
	for i := range r.IntN(5) {
		list = append(list, map[string]any{"name": fmt.Sprint("part", i), "image": "registry.example.com/image:v1", "args": []any{"a", "b"}})
	}
	spec["parts"] = list
	for range r.IntN(3) {
		spec[fmt.Sprintf("é%d", r.IntN(100))] = fmt.Sprint("text ", r.Int64())
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget",
		"metadata": map[string]any{
			"name": name, "namespace": "default", "uid": "uid-" + name, "resourceVersion": fmt.Sprint(version), "generation": int64(1),
			"labels":        map[string]any{"app": "x", "tier": "front"},
			"managedFields": []any{map[string]any{"manager": "m", "fieldsType": "FieldsV1", "fieldsV1": fields}},
		},
		"spec": spec, "status": map[string]any{"ready": r.IntN(2) == 0},
	}}
}

func rawIn(t testing.TB, encoding rest.Encoding, u *unstructured.Unstructured) *rest.Raw {
	t.Helper()
	raw := &rest.Raw{Encoding: encoding}
	var err error
	if encoding == rest.CBOR {
		var out bytes.Buffer
		err = cbor.NewSerializer(nil, nil).EncodeNondeterministic(u, &out)
		raw.Bytes = out.Bytes()
	} else {
		raw.Bytes, err = json.Marshal(u.Object)
	}
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestCBORIsLikeJSON loads states of random objects from both encodings, with all that a codec does, and compares.
func TestCBORIsLikeJSON(t *testing.T) {
	example := &unstructured.Unstructured{}
	kept, err := wirefilter.Keep(example, "spec.parts.image", "metadata.labels")
	if err != nil {
		t.Fatal(err)
	}
	dropped, err := wirefilter.Drop(example, "metadata.managedFields", "spec.ratio")
	if err != nil {
		t.Fatal(err)
	}
	for name, config := range map[string]Config{
		"default": {}, "shared": {Shared: true}, "packed": {Packed: true}, "apart": {Apart: true}, "altered": {Alters: true}, "metadata altered": {Alters: true, AltersMetadata: true},
		"kept": {Filter: kept}, "packed and kept": {Packed: true, Filter: kept}, "shared and dropped": {Shared: true, Filter: dropped},
	} {
		t.Run(name, func(t *testing.T) {
			config.Example = example
			c := New(config)
			r := rand.New(rand.NewPCG(1, 2))
			before := map[string]map[rest.Encoding]any{}
			for round := range 300 {
				u := widget(r, fmt.Sprint("w-", r.IntN(20)), round)
				if before[u.GetName()] == nil {
					before[u.GetName()] = map[rest.Encoding]any{}
				}
				results := map[rest.Encoding]any{}
				for _, e := range []rest.Encoding{rest.JSON, rest.CBOR} {
					last := before[u.GetName()][e]
					obj, err := c.Load(rawIn(t, e, u), last)
					if err != nil {
						t.Fatal(err)
					}
					Compress(obj)
					if holds := c.Holds(rawIn(t, e, u), obj); holds == config.Alters && !config.Shared {
						t.Fatalf("%s: what came is what is stored: %v, %v", e, holds, obj)
					}
					before[u.GetName()][e] = obj
					results[e] = opened(t, obj)
				}
				if !reflect.DeepEqual(results[rest.JSON], results[rest.CBOR]) {
					t.Fatalf("JSON: %v\nCBOR: %v", results[rest.JSON], results[rest.CBOR])
				}
				if config.Filter == nil && !reflect.DeepEqual(results[rest.CBOR], u) {
					t.Fatalf("got %v, want %v", results[rest.CBOR], u)
				}
			}
			c.NoteSize(5000)
			c.NoteSize(0) // the caches are dropped
			if _, err := c.Load(rawIn(t, rest.CBOR, widget(r, "z", 1)), nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestCBORKeepsWhatIsEqual: the next state has the parts of the last one that did not change, unless they were written to.
func TestCBORKeepsWhatIsEqual(t *testing.T) {
	c := New(Config{Example: &unstructured.Unstructured{}})
	r := rand.New(rand.NewPCG(5, 6))
	u := widget(r, "a", 1)
	load := func(last any) *unstructured.Unstructured {
		obj, err := c.Load(rawIn(t, rest.CBOR, u), last)
		if err != nil {
			t.Fatal(err)
		}
		return obj.(*unstructured.Unstructured)
	}
	same := func(a, b *unstructured.Unstructured, field string) bool {
		return reflect.ValueOf(a.Object[field]).UnsafePointer() == reflect.ValueOf(b.Object[field]).UnsafePointer()
	}
	first := load(nil)
	u = u.DeepCopy()
	u.SetResourceVersion("2")
	u.Object["status"] = map[string]any{"ready": "maybe"}
	second := load(first)
	if !same(first, second, "spec") || same(first, second, "status") || same(first, second, "metadata") {
		t.Error("the next state has not what did not change, or what did")
	}
	if reflect.ValueOf(first.Object).UnsafePointer() == reflect.ValueOf(load(first).Object).UnsafePointer() {
		t.Error("two states are one map")
	}
	second.Object["spec"].(map[string]any)["replicas"] = int64(1000)
	if third := load(second); !reflect.DeepEqual(third, u) {
		t.Errorf("what was written is in the next state: %v", third)
	}
}

// TestCBORAtRest: equal objects are equal bytes at rest, in whatever order their entries came.
func TestCBORAtRest(t *testing.T) {
	c := New(Config{Example: &unstructured.Unstructured{}, Packed: true})
	u := widget(rand.New(rand.NewPCG(3, 4)), "a", 1)
	var first []byte
	for range 20 {
		data, err := c.atRest(nil, rawIn(t, rest.CBOR, u))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = slices.Clone(data)
		}
		if !bytes.Equal(first, data) {
			t.Fatalf("%q and %q", first, data)
		}
	}
	for _, wrong := range []string{"", "\xa1", "\x80", "\xa2AaA1AaA2", "\xa1Aa\xf9\x7e\x00"} {
		if obj, err := c.Load(&rest.Raw{Encoding: rest.CBOR, Bytes: []byte(wrong)}, nil); err == nil {
			t.Errorf("%q is %v", wrong, obj)
		}
	}
}

// FuzzCBOR changes objects at random: what is loaded is what apimachinery decodes, in each storage, and an error where that
// has one.
func FuzzCBOR(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 8))
	for i := range 4 {
		u := widget(r, fmt.Sprint(i), i)
		f.Add(rawIn(f, rest.CBOR, u).Bytes)
		mutate.Object(rand.New(rand.NewPCG(uint64(i), 1)), u)
		f.Add(rawIn(f, rest.CBOR, u).Bytes)
	}
	f.Add([]byte("\xd9\xd9\xf7\xbf\x68metadata\xbf\x44name\x7f\x61a\x61b\xff\xff\xff"))
	codecs := []*Codec{New(Config{Example: &unstructured.Unstructured{}}), New(Config{Example: &unstructured.Unstructured{}, Shared: true}), New(Config{Example: &unstructured.Unstructured{}, Packed: true})}
	f.Fuzz(func(t *testing.T, data []byte) {
		raw := func() *rest.Raw { return &rest.Raw{Encoding: rest.CBOR, Bytes: data} }
		want, wantErr := Decode(raw(), func() any { return &unstructured.Unstructured{} })
		for _, c := range codecs {
			obj, err := c.Load(raw(), nil)
			if err != nil && wantErr == nil {
				if _, metaErr := raw().Meta(); metaErr == nil || c.packing == nil { // packed objects have a key
					t.Fatalf("%x: %v", data, err)
				}
				continue
			}
			if err == nil && wantErr != nil {
				t.Fatalf("%x is %v; want %v", data, opened(t, obj), wantErr)
			}
			if err != nil {
				continue
			}
			Compress(obj)
			if got := opened(t, obj); !reflect.DeepEqual(got, want) {
				t.Fatalf("%x: %v; want %v", data, got, want)
			}
		}
	})
}

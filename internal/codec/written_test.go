package codec

import (
	"bytes"
	"encoding/json"
	"fmt"
	oldrand "math/rand"
	"math/rand/v2"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/internal/mutate"
	"vedette.dev/internal/object"
	"vedette.dev/internal/testsize"
	"vedette.dev/kubernetes/scheme"
	"vedette.dev/rest"
)

// sent is an object as a server sends it.
func sent(t *testing.T, gvk schema.GroupVersionKind, obj any, encoding rest.Encoding) *rest.Raw {
	t.Helper()
	raw := &rest.Raw{Encoding: encoding}
	raw.APIVersion, raw.Kind = gvk.ToAPIVersionAndKind()
	var err error
	if encoding == rest.Protobuf {
		raw.Bytes, err = obj.(interface{ Marshal() ([]byte, error) }).Marshal()
	} else {
		typed := obj.(runtime.Object).DeepCopyObject()
		typed.GetObjectKind().SetGroupVersionKind(gvk)
		if encoding == rest.CBOR {
			var out bytes.Buffer
			err = cbor.NewSerializer(nil, nil).EncodeNondeterministic(typed, &out) // as servers do
			raw.Bytes = out.Bytes()
		} else {
			raw.Bytes, err = json.Marshal(typed)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// opened is what a reader is given of what is stored.
func opened(t *testing.T, stored any) any {
	t.Helper()
	obj, err := object.Copy(stored, object.ForGet)
	if err != nil {
		t.Fatal(err)
	}
	return obj
}

// TestAWrittenObjectOfEveryKind writes to objects of all built-in kinds at random places, in each form and storage. What was written
// is in no other object, in none that comes later, and not in the next state of the same object; and a list finds it.
func TestAWrittenObjectOfEveryKind(t *testing.T) {
	storages := map[string]Config{"default": {}, "shared": {Shared: true}, "packed": {Packed: true}}
	codecs := serializer.NewCodecFactory(scheme.Scheme)
	seed := uint64(0)
	for gvk, typ := range scheme.Scheme.AllKnownTypes() {
		example, ok := reflect.New(typ).Interface().(runtime.Object)
		if _, isObject := example.(metav1.Object); !ok || !isObject || gvk.Version == runtime.APIVersionInternal {
			continue
		}
		if seed++; seed%testsize.Of(uint64(1), 8) != 0 {
			continue
		}
		filler := fuzzer.FuzzerFor(metafuzzer.Funcs, oldrand.NewSource(int64(seed)), codecs).NilChance(0.5).NumElements(1, 2).MaxDepth(8)
		filler.Fill(example)
		example.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
		for name, way := range storages {
			for _, form := range []struct {
				encoding rest.Encoding
				as       runtime.Object
			}{{rest.Protobuf, reflect.New(typ).Interface().(runtime.Object)}, {rest.JSON, reflect.New(typ).Interface().(runtime.Object)}, {rest.JSON, &unstructured.Unstructured{}},
				{rest.CBOR, reflect.New(typ).Interface().(runtime.Object)}, {rest.CBOR, &unstructured.Unstructured{}}} {
				if _, ok := example.(interface{ Marshal() ([]byte, error) }); !ok && form.encoding == rest.Protobuf {
					continue
				}
				what := fmt.Sprintf("%v as %T in %s, %s", gvk, form.as, form.encoding, name)
				r := rand.New(rand.NewPCG(seed, 3))
				way.Example = form.as
				c := New(way)
				named := func(uid string) *rest.Raw {
					obj := example.DeepCopyObject()
					m, err := object.Meta(obj)
					if err != nil {
						t.Fatal(err)
					}
					m.SetName(uid)
					m.SetUID(types.UID(uid))
					m.SetResourceVersion("1")
					return sent(t, gvk, obj, form.encoding)
				}
				load := func(uid string, last any) any {
					obj, err := c.Load(named(uid), last)
					if err != nil {
						t.Fatalf("%s: %v", what, err)
					}
					Compress(obj)
					return obj
				}
				want := func(uid string) any {
					obj, err := Decode(named(uid), c.newObject)
					if err != nil {
						t.Fatal(err)
					}
					return obj
				}
				same := func(stored any, uid string) bool { return reflect.DeepEqual(opened(t, stored), want(uid)) }
				a, b := load("a", nil), load("b", nil)
				if !same(a, "a") || !same(b, "b") {
					t.Fatalf("%s: got %v, want %v", what, opened(t, a), want("a"))
				}
				path := mutate.Object(r, opened(t, a))
				switch {
				case way.Packed && !same(a, "a"):
					t.Fatalf("%s: %s was written to what a reader was given, and another is given it", what, path)
				case !way.Shared && !same(b, "b"):
					t.Fatalf("%s: %s was written, and is in another object", what, path)
				case !same(load("c", nil), "c"):
					t.Fatalf("%s: %s was written, and is in an object that came later", what, path)
				case !same(load("a", a), "a"):
					t.Fatalf("%s: %s was written, and is in the next state", what, path)
				case c.Holds(named("a"), a) && !same(a, "a"), c.Equal(a, load("a", nil)) && !same(a, "a"):
					t.Fatalf("%s: %s was written, and a list does not see it", what, path)
				}
			}
		}
	}
	if seed < 100 {
		t.Errorf("only %d kinds were tried", seed)
	}
}

package trim

import (
	"encoding/json"
	oldrand "math/rand"
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	"k8s.io/apimachinery/pkg/api/resource"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/randfill"

	"vedette.dev/internal/mutate"
	"vedette.dev/kubernetes/scheme"
)

func filler(seed int64) *randfill.Filler {
	codecs := serializer.NewCodecFactory(scheme.Scheme)
	return fuzzer.FuzzerFor(metafuzzer.Funcs, oldrand.NewSource(seed), codecs).NilChance(0.5).NumElements(1, 2).MaxDepth(10)
}

// eachKind calls f with the built-in kinds and texts of objects.
func eachKind(t *testing.T, texts int, f func(gvk schema.GroupVersionKind, typ reflect.Type, text []byte)) {
	t.Helper()
	seed := int64(0)
	for gvk, typ := range scheme.Scheme.AllKnownTypes() {
		if _, ok := reflect.New(typ).Interface().(metav1.Object); !ok || gvk.Version == runtime.APIVersionInternal {
			continue
		}
		seed++
		fill := filler(seed)
		for range texts {
			obj := reflect.New(typ).Interface()
			fill.Fill(obj)
			text, err := json.Marshal(obj)
			if err != nil {
				t.Fatal(gvk, err)
			}
			f(gvk, typ, text)
		}
	}
}

func read(t *testing.T, typ reflect.Type, text []byte) any {
	t.Helper()
	obj := reflect.New(typ).Interface()
	if err := utiljson.Unmarshal(text, obj); err != nil {
		t.Fatal(typ, err)
	}
	return obj
}

// TestEveryKind trims objects of all built-in kinds. They say what they said before, share nothing that can be written to, and what is
// written to one of them is seen.
func TestEveryKind(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	type way struct {
		plan   *Plan
		shares *Shares
	}
	ways := map[reflect.Type]way{}
	same, tried := 0, 0
	eachKind(t, 4, func(gvk schema.GroupVersionKind, typ reflect.Type, text []byte) {
		w, ok := ways[typ]
		if !ok {
			plan := Compile(reflect.PointerTo(typ))
			w = way{plan, plan.NewShares()}
			ways[typ] = w
		}
		a, b, want := read(t, typ, text), read(t, typ, text), read(t, typ, text)
		w.plan.Trim(a, w.shares)
		w.plan.Trim(b, w.shares)
		if !reflect.DeepEqual(a, want) || !reflect.DeepEqual(b, want) {
			t.Fatalf("%v: got  %+v\nwant %+v", gvk, a, want)
		}
		if path := mutate.Shared(a, b); path != "" {
			t.Fatalf("%v: two objects have the same %s", gvk, path)
		}
		tried++
		if w.plan.Same(a, b) {
			same++
		}
		written := mutate.Object(r, a)
		if !reflect.DeepEqual(b, want) {
			t.Fatalf("%v: %s was written, and is in another object", gvk, written)
		}
		if w.plan.Same(a, b) && !reflect.DeepEqual(a, b) {
			t.Fatalf("%v: %s was written, and Same does not see it", gvk, written)
		}
	})
	if same < tried/2 {
		t.Errorf("of %d pairs only %d were seen to be the same", tried, same)
	}
}

// custom is a type such as programs have for their own resources.
type custom struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Names  []string                       `json:"names"`
		Parts  map[string]piece               `json:"parts"`
		Any    runtime.RawExtension           `json:"any"`
		Limits corev1.ResourceList            `json:"limits"`
		Asked  corev1.ResourceList            `json:"asked"`
		Size   *resource.Quantity             `json:"size"`
		Deep   map[string]map[string][]string `json:"deep"`
	} `json:"spec"`
	Status struct {
		Used corev1.ResourceList `json:"used"`
	} `json:"status"`
	hidden any
}

type piece struct {
	Name string `json:"name"`
	Next *piece `json:"next"`
}

const customText = `{"apiVersion":"v1","kind":"Custom","metadata":{"name":"a","managedFields":[{"fieldsV1":{"f:spec":{}}}]},"spec":{
	"names":["a","b","c"],"parts":{"x":{"name":"y","next":{"name":"z"}}},"any":{"a":1},"limits":{"cpu":"1"},"asked":{"cpu":"1"},
	"deep":{"a":{"b":["c"]}}},"status":{"used":{"cpu":"1"}}}`

func TestCustomTypes(t *testing.T) {
	typ := reflect.TypeFor[custom]()
	plan := Compile(reflect.PointerTo(typ))
	shares := plan.NewShares()
	a, b := read(t, typ, []byte(customText)).(*custom), read(t, typ, []byte(customText)).(*custom)
	plan.Trim(a, shares)
	plan.Trim(b, shares)
	if want := read(t, typ, []byte(customText)); !reflect.DeepEqual(a, want) {
		t.Errorf("got %+v, want %+v", a, want)
	}
	if path := mutate.Shared(a, b); path != "" {
		t.Errorf("both have %s", path)
	}
	for i, pair := range [][2]string{{a.Name, b.Name}, {a.Spec.Names[1], b.Spec.Names[1]}, {a.Spec.Parts["x"].Next.Name, b.Spec.Parts["x"].Next.Name},
		{a.Spec.Deep["a"]["b"][0], b.Spec.Deep["a"]["b"][0]}} {
		if unsafe.StringData(pair[0]) != unsafe.StringData(pair[1]) {
			t.Errorf("string %d is there twice", i)
		}
	}
	if x, y := a.ManagedFields[0].FieldsV1.GetRawBytes(), b.ManagedFields[0].FieldsV1.GetRawBytes(); &x[0] != &y[0] {
		t.Error("the managed fields are there twice")
	}
	if reflect.ValueOf(a.Spec.Limits).Pointer() != reflect.ValueOf(a.Status.Used).Pointer() {
		t.Error("equal maps of quantities of the spec and the status are two")
	}
	if reflect.ValueOf(a.Spec.Limits).Pointer() == reflect.ValueOf(a.Spec.Asked).Pointer() {
		t.Error("two maps of the spec are one")
	}
	if cap(a.Spec.Names) != len(a.Spec.Names) {
		t.Error("there is room behind a list")
	}
	if plan.Same(a, b) || a.hidden != b.hidden {
		t.Error("what is in fields that are not exported was not looked at")
	}
	for _, t2 := range []reflect.Type{nil, typ, reflect.TypeFor[*string]()} {
		if Compile(t2) != nil {
			t.Errorf("a plan for %v", t2)
		}
	}
}

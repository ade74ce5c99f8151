package codec

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/internal/object"
	"vedette.dev/rest"
)

// randomLabels returns labels with names and values of all lengths.
func randomLabels(r *rand.Rand) map[string]string {
	if r.IntN(10) == 0 {
		return nil
	}
	out := map[string]string{}
	for range r.IntN(6) {
		out[strings.Repeat("n", r.IntN(3))+fmt.Sprint(r.IntN(8))] = strings.Repeat("é", r.IntN(200))
	}
	return out
}

// TestLabelsAtRest compares the labels of packed objects with those of the decoded ones, in every encoding.
func TestLabelsAtRest(t *testing.T) {
	pod := corev1.SchemeGroupVersion.WithKind("Pod")
	for _, example := range []runtime.Object{&corev1.Pod{}, &unstructured.Unstructured{}} {
		c := New(Config{Example: example, Packed: true})
		for _, encoding := range []rest.Encoding{rest.JSON, rest.Protobuf, rest.CBOR} {
			if _, ok := example.(*corev1.Pod); !ok && encoding == rest.Protobuf {
				continue
			}
			r := rand.New(rand.NewPCG(1, uint64(encoding)))
			for i := range 500 {
				want := randomLabels(r)
				meta := metav1.ObjectMeta{Name: fmt.Sprint("a", i), UID: "u", ResourceVersion: "1", Labels: want}
				obj, err := c.Load(sent(t, pod, &corev1.Pod{ObjectMeta: meta}, encoding), nil)
				if err != nil {
					t.Fatal(err)
				}
				sameLabels(t, obj.(object.AtRest).Labels(), want)
			}
		}
		changed, err := c.packing.packObject(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"b": "1", "a": ""}}})
		if err != nil {
			t.Fatal(err)
		}
		sameLabels(t, changed.(object.AtRest).Labels(), map[string]string{"b": "1", "a": ""})
	}
}

func sameLabels(t *testing.T, got labels.Labels, want labels.Set) {
	t.Helper()
	for i := range 8 {
		for n := range 3 {
			name := strings.Repeat("n", n) + fmt.Sprint(i)
			value, ok := got.Lookup(name)
			wantValue, wantOK := want[name]
			if value != wantValue || ok != wantOK || got.Has(name) != wantOK || got.Get(name) != wantValue {
				t.Fatalf("%s: got %q, %v, want %q, %v", name, value, ok, wantValue, wantOK)
			}
		}
	}
	if !want.AsSelector().Matches(got) || labels.SelectorFromSet(labels.Set{"none": ""}).Matches(got) {
		t.Fatalf("a selector does not match as it does %v", want)
	}
}

// TestOddLabelsAtRest: what the decoder accepts has the labels that it decodes; what is not labels has none.
func TestOddLabelsAtRest(t *testing.T) {
	for text, want := range map[string]string{
		`{"metadata":{"name":"a","labels":{"x":"1","x":"2"}}}`:      "2",
		`{"metadata":{"name":"a","labels":{"x":null}}}`:             "",
		`{"metadata":{"name":"a","labels":{"\u0078":"\u0031"}}}`:    "1",
		`{"metadata":{"name":"a","labels":null}}`:                   "",
		`{"metadata":{"name":"a","labels":{}}}`:                     "",
		`{"kind":"Pod","metadata":{"labels":{"x":"3"},"name":"a"}}`: "3",
		`{"metadata":{"name":"a","labels":{"x":5}}}`:                "",
		`{"metadata":{"name":"a","labels":["x"]}}`:                  "",
	} {
		c := New(Config{Example: &unstructured.Unstructured{}, Packed: true})
		obj, err := c.Load(&rest.Raw{Encoding: rest.JSON, Bytes: []byte(text)}, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		Compress(obj)
		decoded, err := object.Copy(obj, object.ForGet)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		u := decoded.(*unstructured.Unstructured)
		if got := obj.(object.AtRest).Labels().Get("x"); got != want || got != u.GetLabels()["x"] {
			t.Errorf("%s: the label is %q, want %q, and %q decoded", text, got, want, u.GetLabels()["x"])
		}
	}
}

// TestEqualLabelsAreOneText: the pods of a ReplicaSet have the same labels, in one place in memory.
func TestEqualLabelsAreOneText(t *testing.T) {
	c := New(Config{Example: &corev1.Pod{}, Packed: true})
	load := func(name, app string) *labelText {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": app, "tier": "front"}}}
		obj, err := c.Load(sent(t, corev1.SchemeGroupVersion.WithKind("Pod"), pod, rest.CBOR), nil)
		if err != nil {
			t.Fatal(err)
		}
		return obj.(*packed).labels
	}
	first := load("a", "web")
	for i := range 20 {
		if load(fmt.Sprint("b", i), "web") != first {
			t.Fatal("equal labels are two texts")
		}
	}
	if other := load("c", "db"); other == first || other.Get("app") != "db" {
		t.Error("other labels are the same text")
	}
	c.packing.forget()
	if load("d", "web") == first {
		t.Error("what was forgotten was found")
	}
	if allocs := testing.AllocsPerRun(100, func() { labels.Labels(first).Has("app") }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

package kinds

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var widgetsResource = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

func TestDefinitionsComeAndGo(t *testing.T) {
	r := NewRegistry()
	before := ask(t, r, "/apis", "").Body.String()
	if err := r.SetCRD(widgets(t)); err != nil {
		t.Fatal(err)
	}
	k, ok := r.Lookup(widgetsResource)
	if !ok || !k.Custom || !k.HasStatus() || k.Scale() == nil || k.Scale().SpecReplicasPath != ".spec.replicas" {
		t.Fatalf("widgets are %+v", k)
	}
	if _, ok := r.Lookup(widgetsResource.GroupResource().WithVersion("v1alpha1")); ok {
		t.Error("a version is served that should not be")
	}
	group := ask(t, r, "/apis/example.com", "").Body.String()
	if !contains(group, `"preferredVersion":{"groupVersion":"example.com/v1","version":"v1"}`) {
		t.Error(group)
	}
	list := ask(t, r, "/apis/example.com/v1", "").Body.String()
	if !contains(list, `"storageVersionHash":"gIwvi5rymmg="`) || !contains(list, `"name":"widgets/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale"`) {
		t.Error(list)
	}
	r.RemoveCRD("widgets.example.com")
	if _, ok := r.Lookup(widgetsResource); ok {
		t.Error("they are still there")
	}
	if after := ask(t, r, "/apis", "").Body.String(); after != before {
		t.Error("discovery is not what it was")
	}
}

func TestNamesInUseAreNotAccepted(t *testing.T) {
	r := NewRegistry()
	if err := r.SetCRD(widgets(t)); err != nil {
		t.Fatal(err)
	}
	other := widgets(t)
	other.SetName("others.example.com")
	_ = unstructured.SetNestedField(other.Object, "others", "spec", "names", "plural")
	_ = unstructured.SetNestedField(other.Object, "other", "spec", "names", "singular")
	_ = unstructured.SetNestedStringSlice(other.Object, nil, "spec", "names", "shortNames")
	delete(other.Object, "status")
	if err := r.SetCRD(other); err == nil || !strings.Contains(err.Error(), `"WidgetList" is already in use`) {
		t.Errorf("got %v", err)
	}
	r.CRDStatus(other)
	text, _ := json.Marshal(other.Object["status"])
	if !contains(string(text), `"reason":"ListKindConflict"`) || !contains(string(text), `"reason":"NotAccepted"`) {
		t.Errorf("status %s", text)
	}
	if err := r.SetCRD(widgets(t)); err != nil {
		t.Errorf("a definition is in its own way: %v", err)
	}
}

// Readers see one state or the next while definitions come and go.
func TestDefinitionsAndReadersAtOnce(t *testing.T) {
	r := NewRegistry()
	crd := widgets(t)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 20 {
				mine := crd.DeepCopy()
				group := fmt.Sprintf("g%d.example.com", i)
				mine.SetName("widgets." + group)
				_ = unstructured.SetNestedField(mine.Object, group, "spec", "group")
				if err := r.SetCRD(mine); err != nil {
					t.Error(err)
				}
				if _, ok := r.Lookup(schema.GroupVersionResource{Group: group, Version: "v1", Resource: "widgets"}); !ok {
					t.Error("not there")
				}
				ask(t, r, "/apis", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
				for _, k := range r.All() {
					if k.Listed() && r.Storage(k) == nil {
						t.Error("no storage")
					}
				}
				r.RemoveCRD(mine.GetName())
			}
		})
	}
	wg.Wait()
}

func TestPruneNamesWhatItRemoves(t *testing.T) {
	r := NewRegistry()
	if err := r.SetCRD(widgets(t)); err != nil {
		t.Fatal(err)
	}
	k, _ := r.Lookup(widgetsResource)
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","odd":1},"x":1,
		"spec":{"color":"red","y":{"z":1},"parts":[{"name":"a","b":1}],"any":{"kept":1},"template":{"metadata":{"odd":1}}}}`), u); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(k.Prune(u)); got != "[metadata.odd spec.parts[0].b spec.template.metadata.odd spec.y x]" {
		t.Error(got)
	}
	if again := k.Prune(u); again != nil {
		t.Error(again)
	}
}

func TestFindPath(t *testing.T) {
	var in any
	if err := json.Unmarshal([]byte(`{"a":{"b.c":[1,"two",{"t":"x","v":"y"},{"t":"z"}]},"n":null}`), &in); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		`.a.b\.c[0]`: "[1]", `.a['b.c'][1]`: "[two]", `.a["b.c"][-1].t`: "[z]", `.a.b\.c[?(@.t=="x")].v`: "[y]",
		`.a.b\.c[*].t`: "[x z]", `{.a.b\.c[9]}`: "[]", `.n`: "[]", `.nope.deeper`: "[]", `$.a.b\.c[?(@.t!='x')].t`: "[z]",
	} {
		got, err := findPath(in, path)
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: %v %v, want %s", path, got, err, want)
		}
	}
	for _, path := range []string{".a[", "a", ".a[x]", ".a[?(@.t)]", ".a[?(t==1)]"} {
		if got, err := findPath(in, path); err == nil {
			t.Errorf("%s: %v", path, got)
		}
	}
}

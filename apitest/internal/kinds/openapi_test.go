package kinds

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// widgets is the definition in testdata, as the real server accepted it.
func widgets(t testing.TB) *unstructured.Unstructured {
	t.Helper()
	data, err := os.ReadFile("testdata/answers/custom.json")
	if err != nil {
		t.Fatal(err)
	}
	var steps []recordedStep
	if err := json.Unmarshal(data, &steps); err != nil {
		t.Fatal(err)
	}
	crd := &unstructured.Unstructured{}
	if err := json.Unmarshal(steps[0].Settled, crd); err != nil {
		t.Fatal(err)
	}
	return crd
}

func TestOpenAPIOfCustomKinds(t *testing.T) {
	r := NewRegistry()
	if err := r.SetCRD(widgets(t)); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/openapi-v3-widgets.json")
	if err != nil {
		t.Fatal(err)
	}
	type document struct {
		Openapi    string
		Info       any
		Paths      map[string]map[string]any
		Components struct{ Schemas map[string]any }
	}
	var ours, real document
	if err := json.Unmarshal(want, &real); err != nil {
		t.Fatal(err)
	}
	w := ask(t, r, "/openapi/v3/apis/example.com/v1", "application/json")
	if err := json.Unmarshal(w.Body.Bytes(), &ours); err != nil {
		t.Fatal(err)
	}
	for name, s := range real.Components.Schemas {
		if contains(name, "Gadget") || contains(name, "DeleteOptions") {
			continue // the former is another definition, the latter lists all groups that ever were
		}
		if !reflect.DeepEqual(ours.Components.Schemas[name], s) {
			got, _ := json.Marshal(ours.Components.Schemas[name])
			want, _ := json.Marshal(s)
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
		}
	}
	for path, operations := range real.Paths {
		if contains(path, "gadgets") {
			continue
		}
		for method := range operations {
			if _, ok := ours.Paths[path][method]; !ok && method != "parameters" {
				t.Errorf("no %s %s", method, path)
			}
		}
	}
	index := ask(t, r, "/openapi/v3", "").Body.String()
	if !json.Valid([]byte(index)) || !contains(index, "apis/example.com/v1beta1?hash=") {
		t.Error("not in the index")
	}
	v2 := ask(t, r, "/openapi/v2", "application/json").Body.Bytes()
	if !json.Valid(v2) || !contains(string(v2), `"com.example.v1.Widget":`) {
		t.Error("not in the older document")
	}
}

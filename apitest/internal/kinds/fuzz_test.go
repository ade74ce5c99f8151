package kinds

import (
	"encoding/json"
	"os"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// FuzzDefinition has definitions and objects of them made of anything: it may be refused, but not panic.
func FuzzDefinition(f *testing.F) {
	data, err := os.ReadFile("testdata/answers/custom.json")
	if err != nil {
		f.Fatal(err)
	}
	var steps []recordedStep
	if err := json.Unmarshal(data, &steps); err != nil {
		f.Fatal(err)
	}
	for _, step := range steps[1:] {
		f.Add(string(steps[0].Body), string(step.Body))
	}
	f.Add(`{"spec":{"group":"g","names":{"plural":"p","kind":"K"},"versions":[{"name":"v","served":true,"schema":{"openAPIV3Schema":
		{"properties":{"a":null},"items":[{}],"additionalProperties":{"not":{}},"anyOf":[null],"pattern":"("}}}]}}`, `{"a":{"b":[null]}}`)
	f.Fuzz(func(t *testing.T, definition, object string) {
		crd, obj := &unstructured.Unstructured{}, &unstructured.Unstructured{}
		if json.Unmarshal([]byte(definition), &crd.Object) != nil || json.Unmarshal([]byte(object), &obj.Object) != nil ||
			crd.Object == nil || obj.Object == nil {
			return
		}
		normalizeJSON(crd.Object)
		normalizeJSON(obj.Object)
		r := NewRegistry()
		crds, _ := r.Lookup(CRDResource)
		if !sound(crd) || !sound(obj) {
			return
		}
		crds.Prepare(crd, nil, Create)
		crds.Validate(crd, nil, Create)
		r.CRDStatus(crd)
		if r.SetCRD(crd) != nil {
			return
		}
		for _, k := range r.All() {
			if k.Custom {
				use(t, r, k, obj.DeepCopy())
			}
		}
		ask(t, r, "/apis", "")
	})
}

// sound is what decoding makes sure of: metadata is metadata.
func sound(u *unstructured.Unstructured) bool {
	var m metav1.PartialObjectMetadata
	data, err := json.Marshal(u.Object)
	return err == nil && json.Unmarshal(data, &m) == nil
}

func use(t *testing.T, r *Registry, k *Kind, obj *unstructured.Unstructured) {
	k.Prepare(obj, nil, Create)
	k.Validate(obj, nil, Create)
	old := obj.DeepCopy()
	k.Prepare(obj, old, Update)
	k.Validate(obj, old, Update)
	k.Prepare(obj, old, UpdateStatus)
	if old.GetGeneration() != obj.GetGeneration() {
		t.Errorf("generation %d became %d without a change", old.GetGeneration(), obj.GetGeneration())
	}
	k.Fields(obj)
	if again := k.Prune(obj); len(again) > 0 {
		t.Errorf("still there: %v", again)
	}
	if _, err := k.Table([]runtime.Object{obj}, metav1.ListMeta{}, metav1.IncludeObject); err != nil {
		t.Error(err)
	}
	if _, ok := r.OpenAPI(k.GroupVersion()); !ok {
		t.Error("no OpenAPI")
	}
}

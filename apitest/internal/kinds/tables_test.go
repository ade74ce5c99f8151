package kinds

import (
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// ages are as old as the recording.
var ages = regexp.MustCompile(`^([0-9]+[smhdy])+$`)

func (r *replay) sameTable(t *testing.T, kind *Kind, obj runtime.Object, recorded []byte) {
	t.Helper()
	table, err := kind.Table([]runtime.Object{obj}, metav1.ListMeta{}, metav1.IncludeNone)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(table)
	if err != nil {
		t.Fatal(err)
	}
	var got, want metav1.Table
	if err := errors.Join(json.Unmarshal(data, &got), json.Unmarshal(recorded, &want)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.ColumnDefinitions, want.ColumnDefinitions) {
		t.Errorf("columns:\ngot  %+v\nwant %+v", got.ColumnDefinitions, want.ColumnDefinitions)
	}
	for _, cells := range [][]any{got.Rows[0].Cells, want.Rows[0].Cells} {
		for i, cell := range cells {
			if text, ok := cell.(string); ok && ages.MatchString(text) {
				cells[i] = "AGE"
			}
		}
	}
	if !reflect.DeepEqual(got.Rows[0], want.Rows[0]) {
		t.Errorf("row:\ngot  %+v\nwant %+v", got.Rows[0], want.Rows[0])
	}
}

// define takes up a definition, and compares what becomes of it.
func (r *replay) define(t *testing.T, crd *unstructured.Unstructured, settled []byte) {
	t.Helper()
	want := &unstructured.Unstructured{}
	if err := json.Unmarshal(settled, want); err != nil {
		t.Fatal(err)
	}
	if !r.registry.CRDStatus(crd) {
		t.Error("nothing has changed")
	}
	if err := r.registry.SetCRD(crd); err != nil {
		t.Fatal(err)
	}
	if r.registry.CRDStatus(crd) {
		t.Error("something has changed again")
	}
	for _, u := range []*unstructured.Unstructured{crd, want} {
		conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
		for _, c := range conditions {
			delete(c.(map[string]any), "lastTransitionTime")
		}
		_ = unstructured.SetNestedSlice(u.Object, conditions, "status", "conditions")
		u.SetGroupVersionKind(CRDResource.GroupVersion().WithKind("CustomResourceDefinition"))
	}
	sameObject(t, crd, want)
}

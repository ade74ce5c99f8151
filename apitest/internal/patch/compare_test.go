package patch

import (
	"encoding/json"
	"reflect"
	"sort"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

func compareStatus(t *testing.T, err error, want answer) {
	t.Helper()
	status, ok := err.(apierrors.APIStatus)
	if !ok {
		t.Fatalf("error %v (%T), want %s", err, err, want.Body)
	}
	var expected metav1.Status
	if err := json.Unmarshal(want.Body, &expected); err != nil {
		t.Fatal(err)
	}
	got := status.Status()
	got.TypeMeta, expected.TypeMeta = metav1.TypeMeta{}, metav1.TypeMeta{}
	sortCauses(got)
	sortCauses(expected)
	if !reflect.DeepEqual(got, expected) {
		a, _ := json.MarshalIndent(got, "", " ")
		b, _ := json.MarshalIndent(expected, "", " ")
		t.Errorf("got\n%s\nwant\n%s", a, b)
	}
}

// sortCauses: conflicts come in the order of a Go map, at the real server too.
func sortCauses(s metav1.Status) {
	if s.Details == nil {
		return
	}
	sort.Slice(s.Details.Causes, func(i, j int) bool {
		a, b := s.Details.Causes[i], s.Details.Causes[j]
		return a.Message+a.Field < b.Message+b.Field
	})
}

func compareObject(t *testing.T, obj runtime.Object, want []byte) {
	t.Helper()
	data, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	a, b := comparable(t, data), comparable(t, want)
	if a != b {
		t.Errorf("got\n%s\nwant\n%s", a, b)
	}
}

// comparable is without what the store sets, and with managed fields in one order: theirs is by time.
func comparable(t *testing.T, data []byte) string {
	t.Helper()
	var u unstructured.Unstructured
	if err := json.Unmarshal(data, &u.Object); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"resourceVersion", "generation", "uid", "creationTimestamp", "namespace"} {
		unstructured.RemoveNestedField(u.Object, "metadata", name)
	}
	delete(u.Object, "apiVersion")
	delete(u.Object, "kind")
	entries := u.GetManagedFields()
	for i := range entries {
		if at := entries[i].Time; at != nil { // an apply that changes no value has none
			if at.Nanosecond() != 0 {
				t.Errorf("%s has the time %v", entries[i].Manager, at)
			}
			entries[i].Time = &metav1.Time{Time: time.Unix(0, 0)}
		}
	}
	sort.Slice(entries, func(i, j int) bool {
		return entries[i].Manager+string(entries[i].Operation)+entries[i].Subresource < entries[j].Manager+string(entries[j].Operation)+entries[j].Subresource
	})
	u.SetManagedFields(entries)
	out, err := json.MarshalIndent(u.Object, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// compareOwners is for objects to which the server adds more than defaults.
func compareOwners(t *testing.T, obj runtime.Object, want []byte) {
	t.Helper()
	m, err := meta.Accessor(obj)
	if err != nil {
		t.Fatal(err)
	}
	var w unstructured.Unstructured
	if err := json.Unmarshal(want, &w.Object); err != nil {
		t.Fatal(err)
	}
	w.Object = map[string]any{"metadata": map[string]any{"managedFields": w.Object["metadata"].(map[string]any)["managedFields"]}}
	data, err := json.Marshal(w.Object)
	if err != nil {
		t.Fatal(err)
	}
	compareObject(t, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{ManagedFields: m.GetManagedFields()}}, data)
}

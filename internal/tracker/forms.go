package tracker

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// KindOf is what an object says it is or, if it says nothing, what the forms say.
func KindOf(forms runtime.ObjectTyper, obj runtime.Object) (schema.GroupVersionKind, error) {
	if gvk := obj.GetObjectKind().GroupVersionKind(); gvk.Kind != "" && gvk.Version != "" {
		return gvk, nil
	}
	kinds, _, err := forms.ObjectKinds(obj)
	if err != nil {
		return schema.GroupVersionKind{}, err
	}
	return kinds[0], nil
}

// untyped returns a copy of an object that says what it is.
func (t *Tracker) untyped(obj runtime.Object) (*unstructured.Unstructured, error) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		if u.GetKind() == "" {
			return nil, fmt.Errorf("the object %q does not say of what kind it is", u.GetName())
		}
		return u.DeepCopy(), nil
	}
	gvk, err := KindOf(t.forms, obj)
	if err != nil {
		return nil, err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("%T: %w", obj, err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(gvk)
	if m, err := meta.Accessor(obj); err == nil && m.GetDeletionTimestamp() != nil && m.GetDeletionTimestamp().IsZero() && t.hasType(gvk) {
		if err := unstructured.SetNestedField(content, zeroTime, "metadata", "deletionTimestamp"); err != nil {
			return nil, err
		}
	}
	return u, nil
}

// zeroTime is the deletion timestamp of &metav1.Time{}, with which tests mark objects as being deleted. As JSON it is null, and lost.
const zeroTime = "0001-01-01T00:00:00Z"

// hasType reports whether there is a Go type of a kind.
func (t *Tracker) hasType(gvk schema.GroupVersionKind) bool {
	obj, err := t.forms.New(gvk)
	_, is := obj.(runtime.Unstructured)
	return err == nil && !is
}

// withoutKind removes the kind of a typed object.
func withoutKind(obj runtime.Object) runtime.Object {
	if _, is := obj.(runtime.Unstructured); obj != nil && !is {
		obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return obj
}

// object is an object in the Go type of its kind, if there is one. Typed objects do not say of what kind they are, except for
// metadata, which could be of any.
func (t *Tracker) object(u *unstructured.Unstructured) (runtime.Object, error) {
	typed, err := t.forms.New(u.GroupVersionKind())
	if _, is := typed.(runtime.Unstructured); err != nil || is {
		return u, nil
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, typed); err != nil {
		return nil, fmt.Errorf("%s %q: %w", u.GetKind(), u.GetName(), err)
	}
	if m, err := meta.Accessor(typed); err == nil && m.GetDeletionTimestamp() != nil && m.GetDeletionTimestamp().IsZero() {
		m.SetDeletionTimestamp(&metav1.Time{}) // in no time zone
	}
	if _, any := typed.(*metav1.PartialObjectMetadata); !any {
		typed.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return typed, nil
}

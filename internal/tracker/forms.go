package tracker

import (
	"fmt"

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
	return u, nil
}

// typed is an object in the Go type of its kind, if there is one. Typed objects do not say of what kind they are, except for
// metadata, which could be of any.
func (t *Tracker) typed(u *unstructured.Unstructured) (runtime.Object, error) {
	typed, err := t.forms.New(u.GroupVersionKind())
	if _, is := typed.(runtime.Unstructured); err != nil || is {
		return u, nil
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, typed); err != nil {
		return nil, fmt.Errorf("%s %q: %w", u.GetKind(), u.GetName(), err)
	}
	if _, any := typed.(*metav1.PartialObjectMetadata); !any {
		typed.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return typed, nil
}

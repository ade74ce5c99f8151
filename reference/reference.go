// Package reference makes references to objects: who it is (kind, version, namespace, name, UID) and which version of it.
// Events, owners and volumes are about objects in that form.
package reference

import (
	"errors"
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ErrNilObject is what there is to say about nil, also about a nil pointer of some type.
var ErrNilObject = errors.New("no object to refer to: it is nil")

// GetReference makes a reference to an object. The scheme tells the kind of one that does not say it, as objects in memory
// seldom do; it may be nil if all do. A list is referred to by its kind and version, since it has no name. For an
// ObjectReference the answer is that very reference, not a copy.
func GetReference(scheme *runtime.Scheme, obj runtime.Object) (*corev1.ObjectReference, error) {
	if isNil(obj) {
		return nil, ErrNilObject
	}
	if ref, ok := obj.(*corev1.ObjectReference); ok {
		return ref, nil
	}
	gvk, err := kindOf(scheme, obj)
	if err != nil {
		return nil, err
	}
	ref := &corev1.ObjectReference{Kind: gvk.Kind, APIVersion: gvk.GroupVersion().String()}
	if m, err := meta.Accessor(obj); err == nil {
		ref.Namespace, ref.Name, ref.UID, ref.ResourceVersion = m.GetNamespace(), m.GetName(), m.GetUID(), m.GetResourceVersion()
		return ref, nil
	}
	list, err := meta.CommonAccessor(obj)
	if err != nil {
		return nil, fmt.Errorf("cannot refer to a %T: %w", obj, err)
	}
	ref.ResourceVersion = list.GetResourceVersion()
	return ref, nil
}

// GetPartialReference makes a reference to a part of an object, such as spec.containers{main}. Given a reference, it makes
// another one and leaves the first as it is.
func GetPartialReference(scheme *runtime.Scheme, obj runtime.Object, fieldPath string) (*corev1.ObjectReference, error) {
	ref, err := GetReference(scheme, obj)
	if err != nil {
		return nil, err
	}
	part := *ref
	part.FieldPath = fieldPath
	return &part, nil
}

// isNil also finds a nil pointer in the interface, whose methods would panic.
func isNil(obj runtime.Object) bool {
	if obj == nil {
		return true
	}
	v := reflect.ValueOf(obj)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// kindOf asks the object, and then the scheme.
func kindOf(scheme *runtime.Scheme, obj runtime.Object) (schema.GroupVersionKind, error) {
	if gvk := obj.GetObjectKind().GroupVersionKind(); !gvk.Empty() {
		return gvk, nil
	}
	if scheme == nil {
		return schema.GroupVersionKind{}, fmt.Errorf("the %T does not say its kind, and no scheme was given to look it up", obj)
	}
	kinds, _, err := scheme.ObjectKinds(obj)
	if err != nil {
		return schema.GroupVersionKind{}, fmt.Errorf("cannot tell the kind of a %T, to refer to it: %w", obj, err)
	}
	return kinds[0], nil
}

package v1

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// referenceTo makes a reference to an object; one to a reference is that reference.
func referenceTo(scheme *runtime.Scheme, obj runtime.Object) (*corev1.ObjectReference, error) {
	if ref, ok := obj.(*corev1.ObjectReference); ok {
		return ref, nil
	}
	if obj == nil {
		return nil, errors.New("no object to refer to: it is nil")
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
	// A list has no name, but it has a version.
	list, err := meta.CommonAccessor(obj)
	if err != nil {
		return nil, err
	}
	ref.ResourceVersion = list.GetResourceVersion()
	return ref, nil
}

// kindOf asks the object, and then the scheme: objects in memory seldom say what they are.
func kindOf(scheme *runtime.Scheme, obj runtime.Object) (schema.GroupVersionKind, error) {
	if gvk := obj.GetObjectKind().GroupVersionKind(); !gvk.Empty() {
		return gvk, nil
	}
	if scheme == nil {
		return schema.GroupVersionKind{}, fmt.Errorf("the %T does not say its kind, and no scheme was given to look it up", obj)
	}
	kinds, _, err := scheme.ObjectKinds(obj)
	if err != nil {
		return schema.GroupVersionKind{}, err
	}
	return kinds[0], nil
}

package ownwrites

import (
	"fmt"
	"reflect"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// form is the type of the objects in the store.
type form struct {
	known atomic.Pointer[shape]
	fixed bool // the type is known
}

type shape struct {
	typ  reflect.Type // a pointer to a struct
	kind schema.GroupVersionKind
}

// learn takes the type of an object of the store, if it is not known yet.
func (f *form) learn(obj any) {
	if f.fixed || f.known.Load() != nil {
		return
	}
	o, ok := obj.(runtime.Object)
	if !ok || isNil(o) || reflect.TypeOf(o).Kind() != reflect.Pointer {
		return
	}
	f.known.CompareAndSwap(nil, &shape{typ: reflect.TypeOf(o), kind: o.GetObjectKind().GroupVersionKind()})
}

// copyOf returns a copy of an object, converted to the type of the store.
func (f *form) copyOf(obj runtime.Object) (runtime.Object, error) {
	s := f.known.Load()
	if s == nil || s.typ == reflect.TypeOf(obj) {
		if u, ok := obj.(*unstructured.Unstructured); ok && s != nil && !s.fits(u.GetKind()) {
			return nil, s.wrong(obj, u.GetKind())
		}
		return obj.DeepCopyObject(), nil
	}
	switch {
	case s.typ == reflect.TypeFor[*unstructured.Unstructured]():
		return s.unstructured(obj)
	case s.typ == reflect.TypeFor[*metav1.PartialObjectMetadata]():
		return s.partial(obj)
	}
	u, ok := obj.(*unstructured.Unstructured)
	if !ok || !s.fits(u.GetKind()) {
		return nil, s.wrong(obj, obj.GetObjectKind().GroupVersionKind().Kind)
	}
	return s.structured(u.Object)
}

// name returns the kind of the objects, as far as it is known: the name of a struct type is its kind.
func (s *shape) name() string {
	switch {
	case s.kind.Kind != "":
		return s.kind.Kind
	case s.typ == reflect.TypeFor[*unstructured.Unstructured](), s.typ == reflect.TypeFor[*metav1.PartialObjectMetadata]():
		return ""
	}
	return s.typ.Elem().Name()
}

// fits reports whether an object of a kind may be one of the store's. An empty kind fits always.
func (s *shape) fits(kind string) bool {
	name := s.name()
	return name == "" || kind == "" || name == kind
}

func (s *shape) wrong(obj runtime.Object, kind string) error {
	return fmt.Errorf("ownwrites: wrong tracker: recorded a %T %s, but the informer has objects of type %v %s",
		obj, kind, s.typ, s.name())
}

// unstructured converts a struct to an unstructured object.
func (s *shape) unstructured(obj runtime.Object) (runtime.Object, error) {
	if kind := kindOf(obj); !s.fits(kind) {
		return nil, s.wrong(obj, kind)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("ownwrites: cannot convert %T to unstructured: %w", obj, err)
	}
	u := &unstructured.Unstructured{Object: content}
	if !s.kind.Empty() {
		u.SetGroupVersionKind(s.kind) // answers of typed clients do not have it
	}
	return u, nil
}

// kindOf returns the kind of an object or, since answers of typed clients have none, the name of its type.
func kindOf(obj runtime.Object) string {
	if kind := obj.GetObjectKind().GroupVersionKind().Kind; kind != "" {
		return kind
	}
	if t := reflect.TypeOf(obj); t.Kind() == reflect.Pointer && t != reflect.TypeFor[*unstructured.Unstructured]() {
		return t.Elem().Name()
	}
	return ""
}

// partial converts an object to its metadata.
func (s *shape) partial(obj runtime.Object) (runtime.Object, error) {
	if kind := kindOf(obj); !s.fits(kind) {
		return nil, s.wrong(obj, kind)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("ownwrites: cannot read the metadata of %T: %w", obj, err)
	}
	return s.structured(map[string]any{"metadata": content["metadata"]})
}

// structured converts an unstructured object to a struct, with the kind set only if the store's objects have it set.
func (s *shape) structured(content map[string]any) (runtime.Object, error) {
	out, ok := reflect.New(s.typ.Elem()).Interface().(runtime.Object)
	if !ok {
		return nil, fmt.Errorf("ownwrites: %v is not an API type", s.typ)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, out); err != nil {
		return nil, fmt.Errorf("ownwrites: cannot convert unstructured object to %v: %w", s.typ, err)
	}
	out.GetObjectKind().SetGroupVersionKind(s.kind)
	return out, nil
}

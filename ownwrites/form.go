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

// form is of which type the objects in the store are.
type form struct {
	known atomic.Pointer[shape]
	fixed bool // nothing more is learnt
}

type shape struct {
	typ  reflect.Type // a pointer to a struct
	kind schema.GroupVersionKind
}

// learn takes an object of the store as an example, if there was none before.
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

// copyOf returns a copy of an object in the form of the store.
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

// name is the kind of the objects, as far as it is known: a struct is named after it.
func (s *shape) name() string {
	switch {
	case s.kind.Kind != "":
		return s.kind.Kind
	case s.typ == reflect.TypeFor[*unstructured.Unstructured](), s.typ == reflect.TypeFor[*metav1.PartialObjectMetadata]():
		return ""
	}
	return s.typ.Elem().Name()
}

// fits tells whether an object of a kind may be one of the store's. An empty kind may be any.
func (s *shape) fits(kind string) bool {
	name := s.name()
	return name == "" || kind == "" || name == kind
}

func (s *shape) wrong(obj runtime.Object, kind string) error {
	return fmt.Errorf("ownwrites: a %T %s was written, and the informer has objects of type %v %s: it is the tracker of another kind",
		obj, kind, s.typ, s.name())
}

// unstructured makes a map of a struct.
func (s *shape) unstructured(obj runtime.Object) (runtime.Object, error) {
	if kind := kindOf(obj); !s.fits(kind) {
		return nil, s.wrong(obj, kind)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("ownwrites: a %T cannot be made unstructured: %w", obj, err)
	}
	u := &unstructured.Unstructured{Object: content}
	if !s.kind.Empty() {
		u.SetGroupVersionKind(s.kind) // answers of typed clients do not say it
	}
	return u, nil
}

// kindOf is what an object says that it is or, as answers of typed clients do not say it, the name of its type.
func kindOf(obj runtime.Object) string {
	if kind := obj.GetObjectKind().GroupVersionKind().Kind; kind != "" {
		return kind
	}
	if t := reflect.TypeOf(obj); t.Kind() == reflect.Pointer && t != reflect.TypeFor[*unstructured.Unstructured]() {
		return t.Elem().Name()
	}
	return ""
}

// partial keeps the metadata alone.
func (s *shape) partial(obj runtime.Object) (runtime.Object, error) {
	if kind := kindOf(obj); !s.fits(kind) {
		return nil, s.wrong(obj, kind)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("ownwrites: the metadata of a %T cannot be read: %w", obj, err)
	}
	return s.structured(map[string]any{"metadata": content["metadata"]})
}

// structured makes a struct of a map, with the kind as the store's objects have it: often they do not say it.
func (s *shape) structured(content map[string]any) (runtime.Object, error) {
	out, ok := reflect.New(s.typ.Elem()).Interface().(runtime.Object)
	if !ok {
		return nil, fmt.Errorf("ownwrites: %v is not an API type", s.typ)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, out); err != nil {
		return nil, fmt.Errorf("ownwrites: an unstructured object is not a %v: %w", s.typ, err)
	}
	out.GetObjectKind().SetGroupVersionKind(s.kind)
	return out, nil
}

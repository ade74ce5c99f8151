package fakes

import (
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"

	"vedette.dev/apitest"
	"vedette.dev/internal/tracker"
)

// Kinds are the kinds of resources.
type Kinds map[schema.GroupVersionResource]schema.GroupVersionKind

// KindsOf guesses the resources of the kinds in a scheme that have lists.
func KindsOf(scheme *runtime.Scheme) Kinds {
	kinds := Kinds{}
	for gvk := range scheme.AllKnownTypes() {
		single, isList := strings.CutSuffix(gvk.Kind, "List")
		if !isList || single == "" || gvk.Version == runtime.APIVersionInternal {
			continue
		}
		kind := gvk.GroupVersion().WithKind(single)
		resource, _ := meta.UnsafeGuessKindToResource(kind)
		kinds[resource] = kind
	}
	return kinds
}

// KindOf returns the kind of a resource. An unknown one is guessed.
func (k Kinds) KindOf(gvr schema.GroupVersionResource) schema.GroupVersionKind {
	if kind, ok := k[gvr]; ok {
		return kind
	}
	single := strings.TrimSuffix(gvr.Resource, "s")
	return gvr.GroupVersion().WithKind(strings.ToUpper(single[:min(1, len(single))]) + single[min(1, len(single)):])
}

// Typed is the codec of clients with Go types.
type Typed struct {
	Kinds
	Scheme  *runtime.Scheme
	Decoder runtime.Decoder
}

// Decode implements Codec. Decoded objects have no kind set, as is usual for objects in Go.
func (c Typed) Decode(body []byte) (runtime.Object, error) {
	obj, err := runtime.Decode(c.Decoder, body)
	if err != nil {
		return nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return obj, nil
}

// New implements Codec.
func (c Typed) New(kind schema.GroupVersionKind) runtime.Object {
	if obj, err := c.Scheme.New(kind); err == nil {
		return obj
	}
	return Untyped{}.New(kind)
}

// Name implements Codec.
func (c Typed) Name(obj runtime.Object, _ schema.GroupVersionResource) (runtime.Object, error) {
	return named(c.Scheme, obj)
}

func named(scheme *runtime.Scheme, obj runtime.Object) (runtime.Object, error) {
	if status, ok := obj.(*metav1.Status); ok {
		status = status.DeepCopy()
		status.TypeMeta = statusType
		return status, nil
	}
	kind, err := tracker.KindOf(scheme, obj)
	if err != nil {
		return nil, err
	}
	return withKind(obj, kind), nil
}

// withKind is a shallow copy: nothing but the kind is set in it.
func withKind(obj runtime.Object, kind schema.GroupVersionKind) runtime.Object {
	if u, ok := obj.(runtime.Unstructured); ok {
		if u.GetObjectKind().GroupVersionKind() == kind {
			return obj
		}
		obj = obj.DeepCopyObject()
	} else {
		from := reflect.ValueOf(obj).Elem()
		to := reflect.New(from.Type())
		to.Elem().Set(from)
		obj = to.Interface().(runtime.Object)
	}
	obj.GetObjectKind().SetGroupVersionKind(kind)
	return obj
}

// Untyped is the codec of clients for unstructured objects. Scheme provides the kinds of others.
type Untyped struct {
	Kinds
	Scheme *runtime.Scheme
}

// Decode implements Codec.
func (Untyped) Decode(body []byte) (runtime.Object, error) {
	u := &unstructured.Unstructured{}
	return u, json.Unmarshal(body, &u.Object)
}

// New implements Codec.
func (Untyped) New(kind schema.GroupVersionKind) runtime.Object {
	if strings.HasSuffix(kind.Kind, "List") {
		list := &unstructured.UnstructuredList{Object: map[string]any{}}
		list.SetGroupVersionKind(kind)
		return list
	}
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(kind)
	return u
}

// Name implements Codec. An object without a kind gets that of the resource.
func (c Untyped) Name(obj runtime.Object, gvr schema.GroupVersionResource) (runtime.Object, error) {
	u, ok := obj.(runtime.Unstructured)
	if !ok {
		return named(c.Scheme, obj)
	}
	if u.GetObjectKind().GroupVersionKind().Kind != "" {
		return obj, nil
	}
	kind := c.KindOf(gvr)
	if u.IsList() || reflect.TypeOf(obj) == reflect.TypeFor[*unstructured.UnstructuredList]() {
		kind.Kind += "List"
	}
	return withKind(obj, kind), nil
}

// Schemaless returns the kinds, for a server to serve without a definition.
func (k Kinds) Schemaless() []apitest.Kind {
	schemaless := make([]apitest.Kind, 0, len(k))
	for gvr, kind := range k {
		schemaless = append(schemaless, apitest.Kind{GroupVersionKind: kind, Plural: gvr.Resource})
	}
	return schemaless
}

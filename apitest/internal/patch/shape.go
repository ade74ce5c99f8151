package patch

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest/internal/kinds"
	"vedette.dev/kubernetes/scheme"
)

// shape is what is read and written at a path. It is the kind itself, except for a scale.
type shape struct {
	schema.GroupVersionKind
	kind *kinds.Kind
	// custom says that the objects are those of a CustomResourceDefinition.
	custom bool
	// plain says that objects have no defaults.
	plain bool
}

func shapeOf(kind *kinds.Kind, subresource string) shape {
	sub, ok := kind.Subresource(subresource)
	if !ok || sub.GroupVersionKind == kind.GroupVersionKind || !scheme.Scheme.Recognizes(sub.GroupVersionKind) {
		return shape{GroupVersionKind: kind.GroupVersionKind, kind: kind, custom: kind.Custom}
	}
	return shape{GroupVersionKind: sub.GroupVersionKind, kind: kind}
}

// own reports whether objects are of the kind that gave its name to the resource.
func (s shape) own() bool { return s.GroupVersionKind == s.kind.GroupVersionKind }

// make is an empty object that says what it is.
func (s shape) make() runtime.Object {
	var obj runtime.Object
	if s.own() {
		obj = s.kind.New()
	} else {
		obj, _ = scheme.Scheme.New(s.GroupVersionKind) // shapeOf saw that it is there
	}
	obj.GetObjectKind().SetGroupVersionKind(s.GroupVersionKind)
	return obj
}

// named returns obj, or a shallow copy of it that says what it is. Stored objects often do not say it.
func (s shape) named(obj runtime.Object) runtime.Object {
	if obj.GetObjectKind().GroupVersionKind() == s.GroupVersionKind {
		return obj
	}
	obj = shallow(obj)
	obj.GetObjectKind().SetGroupVersionKind(s.GroupVersionKind)
	return obj
}

// shallow copies obj so far that kind and metadata can be set in the copy without a trace in obj.
func shallow(obj runtime.Object) runtime.Object {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return &unstructured.Unstructured{Object: copyTop(u.Object)}
	}
	from := reflect.ValueOf(obj).Elem()
	to := reflect.New(from.Type())
	to.Elem().Set(from)
	return to.Interface().(runtime.Object)
}

func copyTop(from map[string]any) map[string]any {
	to := make(map[string]any, len(from))
	for key, value := range from {
		if metadata, ok := value.(map[string]any); ok && key == "metadata" {
			inner := make(map[string]any, len(metadata))
			for k, v := range metadata {
				inner[k] = v
			}
			value = inner
		}
		to[key] = value
	}
	return to
}

// New and ObjectKinds let a serializer make objects of the shape. Of other kinds it makes those that kube-apiserver knows,
// since how it refuses them depends on whether it does.
func (s shape) New(gvk schema.GroupVersionKind) (runtime.Object, error) {
	switch {
	case gvk == s.GroupVersionKind:
		return s.make(), nil
	case s.custom:
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(gvk)
		return u, nil
	case gvk.GroupKind() == s.GroupKind() && scheme.Scheme.Recognizes(gvk):
		return s.make(), nil // another version of the same kind: what they share is enough to judge it
	case scheme.Scheme.Recognizes(gvk):
		return scheme.Scheme.New(gvk)
	}
	return nil, notRegistered(gvk)
}

func (s shape) ObjectKinds(obj runtime.Object) ([]schema.GroupVersionKind, bool, error) {
	if _, ok := obj.(runtime.Unstructured); ok || reflect.TypeOf(obj) == reflect.TypeOf(s.make()) {
		return []schema.GroupVersionKind{s.GroupVersionKind}, false, nil
	}
	return scheme.Scheme.ObjectKinds(obj)
}

func (s shape) Recognizes(gvk schema.GroupVersionKind) bool {
	return gvk == s.GroupVersionKind || scheme.Scheme.Recognizes(gvk)
}

// cannotConvert is what kube-apiserver says of an object of a wrong kind. It names its own internal types.
func cannotConvert(from runtime.Object, to schema.GroupVersionKind) error {
	return fmt.Errorf("converting (%s) to (%s.%s): unknown conversion", reflect.TypeOf(from).Elem(), internalPackage(to.Group), to.Kind)
}

package patch

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest/internal/kinds"
)

// converter brings objects of one shape into other versions, for managed fields that were written there. Unlike
// kube-apiserver, which has an internal version of everything, it converts between versions directly.
type converter struct {
	registry *kinds.Registry
	shape    shape
}

// ConvertToVersion does not change in, but may return it.
func (c converter) ConvertToVersion(in runtime.Object, to runtime.GroupVersioner) (runtime.Object, error) {
	version, ok := to.(schema.GroupVersion)
	if !ok {
		return nil, fmt.Errorf("cannot convert to %v", to)
	}
	in = unmanaged(in)
	from := in.GetObjectKind().GroupVersionKind()
	if version == c.shape.GroupVersion() && (from.Empty() || from == c.shape.GroupVersionKind) {
		return c.typed(in)
	}
	gvk := version.WithKind(c.shape.Kind)
	kind, ok := c.registry.KindFor(gvk)
	if !ok || !c.shape.own() {
		return nil, notRegistered(gvk)
	}
	return c.other(in, kind)
}

// unmanaged is without managed fields. Those have no owners, the field manager has read them already, and to walk through them
// again with the rest takes it as long as the rest.
func unmanaged(obj runtime.Object) runtime.Object {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		top := copyTop(u.Object)
		if metadata, ok := top["metadata"].(map[string]any); ok {
			delete(metadata, "managedFields") // its accessor would decode them
		}
		return &unstructured.Unstructured{Object: top}
	}
	if m, err := meta.Accessor(obj); err != nil || m.GetManagedFields() == nil {
		return obj
	}
	obj = shallow(obj)
	obj.(metav1.Object).SetManagedFields(nil)
	return obj
}

// typed gives an unstructured object, which is what a merge returns, the Go type of its kind.
func (c converter) typed(in runtime.Object) (runtime.Object, error) {
	u, ok := in.(*unstructured.Unstructured)
	if !ok {
		return c.shape.named(in), nil
	}
	out := c.shape.make()
	if _, ok := out.(*unstructured.Unstructured); ok {
		return c.shape.named(in), nil
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, out); err != nil {
		return nil, err
	}
	out.GetObjectKind().SetGroupVersionKind(c.shape.GroupVersionKind)
	return out, nil
}

// other converts between versions. Where in is unstructured, it is so of its own version.
func (c converter) other(in runtime.Object, to *kinds.Kind) (runtime.Object, error) {
	if u, ok := in.(*unstructured.Unstructured); ok && !to.Custom {
		if from, ok := c.registry.KindFor(u.GroupVersionKind()); ok {
			typed := from.New()
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, typed); err != nil {
				return nil, err
			}
			in = typed
		}
	}
	out, err := c.registry.Convert(in, to)
	if err != nil {
		return nil, err
	}
	out.GetObjectKind().SetGroupVersionKind(to.GroupVersionKind)
	return out, nil
}

// Default gives the result of an apply its defaults. They have no owner.
func (c converter) Default(obj runtime.Object) { setDefaults(c.shape, obj) }

// Convert and ConvertFieldLabel complete runtime.ObjectConvertor. Nothing calls them.
func (c converter) Convert(in, out, context any) error {
	return fmt.Errorf("cannot convert %T to %T", in, out)
}

func (c converter) ConvertFieldLabel(gvk schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

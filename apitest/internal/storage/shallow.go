package storage

import (
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Shallow copies an object as far as is needed to set its kind and the plain fields of its metadata, such as the
// version; everything else is shared with the original and must not be modified.
func Shallow(obj runtime.Object) runtime.Object {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		content := maps.Clone(u.Object)
		if metadata, ok := content["metadata"].(map[string]any); ok {
			content["metadata"] = maps.Clone(metadata)
		}
		return &unstructured.Unstructured{Object: content}
	}
	// The structs of k8s.io/api hold their metadata by value.
	original := reflect.ValueOf(obj).Elem()
	shallow := reflect.New(original.Type())
	shallow.Elem().Set(original)
	return shallow.Interface().(runtime.Object)
}

// Package informername names the informers of a factory, so that metrics and the console show the same names.
package informername

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Of returns the name of an informer from the key by which its factory knows it: "core/v1.Pod" for a type, "apps/v1/deployments" for a
// resource.
func Of(key any) string {
	switch k := key.(type) {
	case reflect.Type:
		for k.Kind() == reflect.Pointer {
			k = k.Elem()
		}
		return strings.TrimPrefix(k.PkgPath(), "k8s.io/api/") + "." + k.Name()
	case schema.GroupVersionResource:
		return k.GroupVersion().String() + "/" + k.Resource
	}
	return fmt.Sprint(key)
}

// OfObject returns the name of an informer of objects such as obj: "core/v1.Pod" for a type, "apps/v1.Deployment (unstructured)" and
// "apps/v1.Deployment (metadata)" for types that serve for many kinds.
func OfObject(obj runtime.Object) string {
	form := ""
	switch obj.(type) {
	case *metav1.PartialObjectMetadata:
		form = " (metadata)"
	case runtime.Unstructured:
		form = " (unstructured)"
	default:
		return Of(reflect.TypeOf(obj))
	}
	gvk := obj.GetObjectKind().GroupVersionKind()
	return cmp.Or(gvk.Group, "core") + "/" + gvk.Version + "." + gvk.Kind + form
}

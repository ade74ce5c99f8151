// Package informername names the informers of a factory, so that metrics and the console show the same names.
package informername

import (
	"fmt"
	"reflect"
	"strings"

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

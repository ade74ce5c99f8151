package gentype

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ApplyConfiguration is what server-side apply sends: an object of which only the fields that the caller wants to own are
// there. Anything that has a name and marshals to JSON will do. The generated configurations of
// k8s.io/client-go/applyconfigurations are such, and [Apply] makes one of any object.
type ApplyConfiguration interface {
	GetName() *string
}

// Apply makes an ApplyConfiguration of an object: a struct, a pointer to one, or an *unstructured.Unstructured. Fields
// that are null, empty structs or empty maps in JSON are left out, since a Go struct cannot say that it does not
// mean them; to own a field with an empty value, give it as unstructured, which is taken as it is. Fields that the server
// fills in (status, managed fields, resource version, UID, times) are left out too.
func Apply(obj metav1.Object, gvk schema.GroupVersionKind) (ApplyConfiguration, error) {
	if isNil(obj) {
		return nil, errors.New("apply: the object is nil")
	}
	content, err := fieldsOf(obj)
	if err != nil {
		return nil, fmt.Errorf("apply %s %q: %w", gvk.Kind, obj.GetName(), err)
	}
	content["apiVersion"], content["kind"] = gvk.GroupVersion().String(), gvk.Kind
	return &applied{name: obj.GetName(), content: content}, nil
}

type applied struct {
	name    string
	content map[string]any
}

func (a *applied) GetName() *string             { return &a.name }
func (a *applied) MarshalJSON() ([]byte, error) { return json.Marshal(a.content) }

func fieldsOf(obj metav1.Object) (map[string]any, error) {
	if u, ok := obj.(interface{ UnstructuredContent() map[string]any }); ok {
		content := make(map[string]any)
		for k, v := range u.UnstructuredContent() {
			content[k] = v
		}
		return content, nil
	}
	data, err := json.Marshal(obj)
	if err != nil {
		return nil, err
	}
	var content map[string]any
	if err := json.Unmarshal(data, &content); err != nil {
		return nil, err
	}
	delete(content, "status")
	prune(content)
	if m, ok := content["metadata"].(map[string]any); ok {
		for _, field := range []string{"managedFields", "resourceVersion", "uid", "creationTimestamp", "deletionTimestamp", "generation", "selfLink"} {
			delete(m, field)
		}
	}
	return content, nil
}

// prune removes what a Go struct marshals without having been told to. It reports whether nothing is left.
func prune(m map[string]any) bool {
	for k, v := range m {
		if pruned(v) {
			delete(m, k)
		}
	}
	return len(m) == 0
}

func pruned(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		return prune(v)
	case []any:
		for _, element := range v {
			pruned(element)
		}
	}
	return false
}

// applyName is the name in an ApplyConfiguration. Without one there is nothing to apply to.
func applyName(cfg ApplyConfiguration) (string, error) {
	if isNil(cfg) {
		return "", errors.New("apply: the configuration is nil")
	}
	name := cfg.GetName()
	if name == nil || *name == "" {
		return "", fmt.Errorf("apply: the %T has no name: set metadata.name", cfg)
	}
	return *name, nil
}

var errNilConfiguration = errors.New("the configuration is nil")

func applyData(cfg ApplyConfiguration) ([]byte, error) {
	if isNil(cfg) {
		return nil, errNilConfiguration
	}
	return json.Marshal(cfg)
}

// nameOf is the name of an object about to be sent.
func nameOf(obj any) (string, error) {
	if isNil(obj) {
		return "", fmt.Errorf("the %T is nil", obj)
	}
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return "", fmt.Errorf("%T has no metadata: %w", obj, err)
	}
	return accessor.GetName(), nil
}

// isNil also sees a nil pointer that is wrapped in an interface.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	rv := reflect.ValueOf(v)
	return rv.Kind() == reflect.Pointer && rv.IsNil()
}

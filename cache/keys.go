package cache

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KeyFunc makes the key under which an object is stored. The same object must always have the same key.
type KeyFunc func(obj interface{}) (string, error)

// KeyError says that an object has no key. Every method that asks a KeyFunc returns its error in one of these.
type KeyError struct {
	Obj interface{}
	Err error
}

func (k KeyError) Error() string {
	return fmt.Sprintf("couldn't create key for object %+v: %v", k.Obj, k.Err)
}

// Unwrap returns the error of the KeyFunc.
func (k KeyError) Unwrap() error { return k.Err }

// ExplicitKey is given to MetaNamespaceKeyFunc in place of an object by those who have only its key.
type ExplicitKey string

// MetaNamespaceKeyFunc is the KeyFunc for API objects: namespace/name, or name alone where there is no namespace.
func MetaNamespaceKeyFunc(obj interface{}) (string, error) {
	if key, ok := obj.(ExplicitKey); ok {
		return string(key), nil
	}
	if p, ok := obj.(*packed); ok {
		return p.key(), nil
	}
	name, err := ObjectToName(obj)
	if err != nil {
		return "", err
	}
	return name.String(), nil
}

// DeletionHandlingMetaNamespaceKeyFunc also knows the tombstones that handlers of deletions may be given: it returns
// the Key of a DeletedFinalStateUnknown (the value, not a pointer to one).
func DeletionHandlingMetaNamespaceKeyFunc(obj interface{}) (string, error) {
	if d, ok := obj.(DeletedFinalStateUnknown); ok {
		return d.Key, nil
	}
	return MetaNamespaceKeyFunc(obj)
}

// SplitMetaNamespaceKey takes apart what MetaNamespaceKeyFunc made.
func SplitMetaNamespaceKey(key string) (namespace, name string, err error) {
	first, rest, found := strings.Cut(key, "/")
	switch {
	case !found:
		return "", first, nil
	case strings.Contains(rest, "/"):
		return "", "", fmt.Errorf("unexpected key format: %q", key)
	default:
		return first, rest, nil
	}
}

var errNilPointer = errors.New("it is a nil pointer")

// metaOf is meta.Accessor with an answer for nil pointers, whose methods would panic.
func metaOf(obj any) (metav1.Object, error) {
	if p, ok := obj.(*packed); ok {
		return p.meta()
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	if v := reflect.ValueOf(obj); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, errNilPointer
	}
	return m, nil
}

// versionOf is the resource version of an object, if it has metadata.
func versionOf(obj any) (version string, ok bool) {
	if obj == nil {
		return "", false
	}
	if p, ok := obj.(*packed); ok {
		return p.revision().version, true
	}
	m, err := metaOf(obj)
	if err != nil {
		return "", false
	}
	return m.GetResourceVersion(), true
}

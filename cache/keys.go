package cache

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/internal/object"
)

// KeyFunc returns the key of an object. It must be deterministic.
type KeyFunc func(obj interface{}) (string, error)

// KeyError is the error for an object without a key. Every method that calls a [KeyFunc] wraps its error in a KeyError.
type KeyError struct {
	Obj interface{}
	Err error
}

func (k KeyError) Error() string {
	return fmt.Sprintf("couldn't create key for object %+v: %v", k.Obj, k.Err)
}

// Unwrap returns the error of the [KeyFunc].
func (k KeyError) Unwrap() error { return k.Err }

// ExplicitKey can be passed to [MetaNamespaceKeyFunc] in place of an object, if only its key is known.
type ExplicitKey string

// MetaNamespaceKeyFunc is the [KeyFunc] for API objects: namespace/name, or name alone where there is no namespace.
func MetaNamespaceKeyFunc(obj interface{}) (string, error) {
	if key, ok := obj.(ExplicitKey); ok {
		return string(key), nil
	}
	if r, ok := obj.(object.AtRest); ok {
		return r.Key(), nil
	}
	name, err := ObjectToName(obj)
	if err != nil {
		return "", err
	}
	return name.String(), nil
}

// DeletionHandlingMetaNamespaceKeyFunc also accepts tombstones, which OnDelete may be given: it returns the Key of a
// [DeletedFinalStateUnknown] (the value, not a pointer to one).
func DeletionHandlingMetaNamespaceKeyFunc(obj interface{}) (string, error) {
	if d, ok := obj.(DeletedFinalStateUnknown); ok {
		return d.Key, nil
	}
	return MetaNamespaceKeyFunc(obj)
}

// SplitMetaNamespaceKey splits the result of [MetaNamespaceKeyFunc].
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

// ObjectName is the namespace and name of an object whose kind is known from elsewhere. Unlike a types.NamespacedName
// it is printed without a slash if there is no namespace.
type ObjectName struct {
	Namespace string
	Name      string
}

// NewObjectName returns the name of an object in a namespace, which may be empty.
func NewObjectName(namespace, name string) ObjectName {
	return ObjectName{Namespace: namespace, Name: name}
}

// Parts is the inverse of [NewObjectName].
func (n ObjectName) Parts() (namespace, name string) { return n.Namespace, n.Name }

// String returns the key that [MetaNamespaceKeyFunc] returns for the object.
func (n ObjectName) String() string { return object.Join(n.Namespace, n.Name) }

// AsNamespacedName converts to the type of apimachinery.
func (n ObjectName) AsNamespacedName() types.NamespacedName {
	return types.NamespacedName{Namespace: n.Namespace, Name: n.Name}
}

// NamespacedNameAsObjectName is the inverse of AsNamespacedName.
func NamespacedNameAsObjectName(nn types.NamespacedName) ObjectName {
	return NewObjectName(nn.Namespace, nn.Name)
}

// ParseObjectName parses the result of String.
func ParseObjectName(str string) (ObjectName, error) {
	namespace, name, err := SplitMetaNamespaceKey(str)
	return NewObjectName(namespace, name), err
}

// ObjectToName returns the name of an API object. It is an error if the object has no metadata.
func ObjectToName(obj interface{}) (ObjectName, error) {
	if r, ok := obj.(object.AtRest); ok {
		return NewObjectName(object.Name(r.Key())), nil
	}
	m, err := object.Meta(obj)
	if err != nil {
		return ObjectName{}, fmt.Errorf("object has no meta: %w", err)
	}
	return MetaObjectToName(m), nil
}

// MetaObjectToName returns the name of an object, given its metadata.
func MetaObjectToName(obj metav1.Object) ObjectName {
	return NewObjectName(obj.GetNamespace(), obj.GetName())
}

// DeletionHandlingObjectToName also accepts tombstones, as [DeletionHandlingMetaNamespaceKeyFunc] does.
func DeletionHandlingObjectToName(obj interface{}) (ObjectName, error) {
	if d, ok := obj.(DeletedFinalStateUnknown); ok {
		return ParseObjectName(d.Key)
	}
	return ObjectToName(obj)
}

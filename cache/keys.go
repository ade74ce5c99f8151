package cache

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/internal/object"
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
	if r, ok := obj.(object.AtRest); ok {
		return r.Key(), nil
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

// ObjectName names an object of a kind that is known from elsewhere. Unlike a types.NamespacedName it is written
// without a slash where there is no namespace.
type ObjectName struct {
	Namespace string
	Name      string
}

// NewObjectName returns the name of an object in a namespace, which may be empty.
func NewObjectName(namespace, name string) ObjectName {
	return ObjectName{Namespace: namespace, Name: name}
}

// Parts undoes NewObjectName.
func (n ObjectName) Parts() (namespace, name string) { return n.Namespace, n.Name }

// String is the key that MetaNamespaceKeyFunc makes for the object.
func (n ObjectName) String() string { return object.Join(n.Namespace, n.Name) }

// AsNamespacedName says the same in the words of apimachinery.
func (n ObjectName) AsNamespacedName() types.NamespacedName {
	return types.NamespacedName{Namespace: n.Namespace, Name: n.Name}
}

// NamespacedNameAsObjectName undoes AsNamespacedName.
func NamespacedNameAsObjectName(nn types.NamespacedName) ObjectName {
	return NewObjectName(nn.Namespace, nn.Name)
}

// ParseObjectName reads what String wrote.
func ParseObjectName(str string) (ObjectName, error) {
	namespace, name, err := SplitMetaNamespaceKey(str)
	return NewObjectName(namespace, name), err
}

// ObjectToName returns the name of an API object. What has no metadata is an error.
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

// MetaObjectToName returns the name of an object whose metadata is at hand.
func MetaObjectToName(obj metav1.Object) ObjectName {
	return NewObjectName(obj.GetNamespace(), obj.GetName())
}

// DeletionHandlingObjectToName also reads the key of a tombstone, as DeletionHandlingMetaNamespaceKeyFunc does.
func DeletionHandlingObjectToName(obj interface{}) (ObjectName, error) {
	if d, ok := obj.(DeletedFinalStateUnknown); ok {
		return ParseObjectName(d.Key)
	}
	return ObjectToName(obj)
}

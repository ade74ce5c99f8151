package cache

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

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
func (n ObjectName) String() string {
	if n.Namespace == "" {
		return n.Name
	}
	return n.Namespace + "/" + n.Name
}

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
	if p, ok := obj.(*packed); ok {
		return p.name(), nil
	}
	m, err := metaOf(obj)
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

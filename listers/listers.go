package listers

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/cache"
)

// Lister finds objects by their labels.
//
// It is an alias, as is Getter: for a generic type that is not, the compiler generates the methods again in every
// package that mentions a factory.
type Lister[T runtime.Object] = interface {
	// List returns the objects that the selector matches, which must not be modified.
	List(selector labels.Selector) (ret []T, err error)
}

// Getter finds an object by its name.
type Getter[T runtime.Object] = interface {
	// Get returns the object of that name, which must not be modified.
	Get(name string) (T, error)
}

// ResourceIndexer is a lister of the objects in an indexer, all of them or those of one namespace.
type ResourceIndexer[T runtime.Object] struct {
	lister cache.TypedLister[T]
	// namespaces are cached listers of namespaces; nil in a lister of one.
	namespaces *namespaces[T]
}

// New returns a lister of all objects in an indexer. The resource is used in errors.
func New[T runtime.Object](indexer cache.Indexer, resource schema.GroupResource) ResourceIndexer[T] {
	return ResourceIndexer[T]{cache.NewTypedLister[T](indexer, resource), &namespaces[T]{}}
}

// NewNamespaced returns a lister of the objects in one namespace. The empty namespace means all.
func NewNamespaced[T runtime.Object](parent ResourceIndexer[T], namespace string) ResourceIndexer[T] {
	return ResourceIndexer[T]{lister: parent.lister.ByNamespace(namespace)}
}

// In is like NewNamespaced, but caches listers, so that repeated calls do not allocate.
func (l ResourceIndexer[T]) In(namespace string) *ResourceIndexer[T] {
	if one := l.namespaces.find(namespace); one != nil {
		return one
	}
	one := NewNamespaced(l, namespace)
	l.namespaces.add(namespace, &one)
	return &one
}

// List returns the objects that the selector matches, which must not be modified.
func (l ResourceIndexer[T]) List(selector labels.Selector) (ret []T, err error) {
	return l.lister.List(selector)
}

// Get returns the object of that name, which must not be modified. If there is none, the error is the API's NotFound.
func (l ResourceIndexer[T]) Get(name string) (T, error) {
	return l.lister.Get(name)
}

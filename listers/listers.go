package listers

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/cache"
)

// Lister finds objects by their labels.
//
// It is an alias, as is Getter: of a generic type that is not, the compiler writes the methods once more into every package
// that as much as mentions a factory.
type Lister[T runtime.Object] = interface {
	// List returns the objects that the selector matches, which must not be changed.
	List(selector labels.Selector) (ret []T, err error)
}

// Getter finds an object by its name.
type Getter[T runtime.Object] = interface {
	// Get returns the object of that name, which must not be changed.
	Get(name string) (T, error)
}

// ResourceIndexer is a lister of the objects in an indexer, all of them or those of one namespace.
type ResourceIndexer[T runtime.Object] struct {
	lister cache.TypedLister[T]
	// namespaces are those that were asked for; nil in a lister of one.
	namespaces *namespaces[T]
}

// New returns a lister of all objects in an indexer. The resource is what errors speak of.
func New[T runtime.Object](indexer cache.Indexer, resource schema.GroupResource) ResourceIndexer[T] {
	return ResourceIndexer[T]{cache.NewTypedLister[T](indexer, resource), &namespaces[T]{}}
}

// NewNamespaced returns a lister of those objects that live in one namespace. The empty namespace stands for all.
func NewNamespaced[T runtime.Object](parent ResourceIndexer[T], namespace string) ResourceIndexer[T] {
	return ResourceIndexer[T]{lister: parent.lister.ByNamespace(namespace)}
}

// In is NewNamespaced for those who ask for the same namespaces again and again: that allocates nothing.
func (l ResourceIndexer[T]) In(namespace string) *ResourceIndexer[T] {
	if one := l.namespaces.find(namespace); one != nil {
		return one
	}
	one := NewNamespaced(l, namespace)
	l.namespaces.add(namespace, &one)
	return &one
}

// List returns the objects that the selector matches, which must not be changed.
func (l ResourceIndexer[T]) List(selector labels.Selector) (ret []T, err error) {
	return l.lister.List(selector)
}

// Get returns the object of that name, which must not be changed. If there is none, the error is the API's NotFound.
func (l ResourceIndexer[T]) Get(name string) (T, error) {
	return l.lister.Get(name)
}

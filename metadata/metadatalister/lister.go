// Package metadatalister lists the metadata of objects of any resource from an indexer, usually the indexer of an informer.
//
//   - [Lister], [NamespaceLister]: all objects, or those of one namespace. [New] returns one.
//   - [NewRuntimeObjectShim] converts one to a cache.GenericLister.
//
// Objects are shared and must not be modified; slices belong to the caller. If an object does not exist, the error is
// the API's NotFound.
package metadatalister

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/cache"
)

// Lister lists objects of one resource.
type Lister interface {
	// List returns the objects of all namespaces that the selector matches.
	List(selector labels.Selector) (ret []*metav1.PartialObjectMetadata, err error)
	// Get returns the object with this key: the name, with the namespace and a slash before it if there is one.
	Get(name string) (*metav1.PartialObjectMetadata, error)
	// Namespace returns a lister for one namespace.
	Namespace(namespace string) NamespaceLister
}

// NamespaceLister lists the objects of one namespace.
type NamespaceLister interface {
	// List returns the objects of the namespace that the selector matches.
	List(selector labels.Selector) (ret []*metav1.PartialObjectMetadata, err error)
	// Get returns the object of that name.
	Get(name string) (*metav1.PartialObjectMetadata, error)
}

// New returns a lister of the objects in an indexer.
func New(indexer cache.Indexer, gvr schema.GroupVersionResource) Lister {
	return lister{cache.NewTypedLister[*metav1.PartialObjectMetadata](indexer, gvr.GroupResource())}
}

type lister struct {
	cache.TypedLister[*metav1.PartialObjectMetadata]
}

func (l lister) Namespace(namespace string) NamespaceLister { return l.ByNamespace(namespace) }

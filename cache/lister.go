package cache

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// AppendFunc is called with each object that a listing finds.
type AppendFunc func(interface{})

// ListAll calls appendFn with each object in the store that the selector matches. With labels.Everything, or nil, it
// does not look at labels, and so takes objects that have none.
func ListAll(store Store, selector labels.Selector, appendFn AppendFunc) error {
	if labels.MatchesNothing(selector) {
		return nil
	}
	return appendMatching(store.List(), keeper(selector, ""), appendFn)
}

// ListAllByNamespace is ListAll for the objects of one namespace, which it finds by the index named NamespaceIndex. If
// there is no such index, it looks at all objects. The empty namespace means all of them.
func ListAllByNamespace(indexer Indexer, namespace string, selector labels.Selector, appendFn AppendFunc) error {
	if labels.MatchesNothing(selector) {
		return nil
	}
	if namespace == metav1.NamespaceAll {
		return ListAll(indexer, selector, appendFn)
	}
	if list, err := indexer.ByIndex(NamespaceIndex, namespace); err == nil {
		return appendMatching(list, keeper(selector, ""), appendFn)
	}
	return appendMatching(indexer.List(), keeper(selector, namespace), appendFn)
}

func appendMatching(list []any, keep filter, appendFn AppendFunc) error {
	for _, obj := range list {
		if keep != nil {
			ok, err := keep(obj)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
		}
		appendFn(obj)
	}
	return nil
}

// filter decides which objects a listing keeps. A nil one keeps all.
type filter func(obj any) (bool, error)

// keeper makes a filter of a selector and a namespace, each of which may be empty. Where there is nothing to look for, no
// metadata is read.
func keeper(selector labels.Selector, namespace string) filter {
	everything := selector == nil || selector.Empty()
	if everything && namespace == "" {
		return nil
	}
	return func(obj any) (bool, error) {
		if p, ok := obj.(*packed); ok {
			if namespace != "" && p.name().Namespace != namespace {
				return false, nil
			}
			if everything {
				return true, nil
			}
			return p.matches(selector)
		}
		m, err := metaOf(obj)
		if err != nil {
			return false, err
		}
		if namespace != "" && m.GetNamespace() != namespace {
			return false, nil
		}
		return everything || selector.Matches(labels.Set(m.GetLabels())), nil
	}
}

// GenericLister lists objects of any kind.
type GenericLister interface {
	// List returns the objects of all namespaces that the selector matches.
	List(selector labels.Selector) (ret []runtime.Object, err error)
	// Get returns the object with this key.
	Get(name string) (runtime.Object, error)
	// ByNamespace returns a lister for one namespace.
	ByNamespace(namespace string) GenericNamespaceLister
}

// GenericNamespaceLister lists the objects of one namespace.
type GenericNamespaceLister interface {
	List(selector labels.Selector) (ret []runtime.Object, err error)
	Get(name string) (runtime.Object, error)
}

// NewGenericLister returns a lister for the objects in an indexer. The resource is what errors speak of.
func NewGenericLister(indexer Indexer, resource schema.GroupResource) GenericLister {
	return genericLister{NewTypedLister[runtime.Object](indexer, resource)}
}

type genericLister struct{ TypedLister[runtime.Object] }

func (l genericLister) ByNamespace(namespace string) GenericNamespaceLister {
	return l.TypedLister.ByNamespace(namespace)
}

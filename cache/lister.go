package cache

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/internal/object"
)

// AppendFunc is called with each object of a list.
type AppendFunc func(interface{})

// ListAll calls appendFn with each object in the store that the selector matches. With labels.Everything, or nil,
// labels are not read, and objects need not have any.
func ListAll(store Store, selector labels.Selector, appendFn AppendFunc) error {
	if labels.MatchesNothing(selector) {
		return nil
	}
	return appendMatching(store.List(), keeper(selector, ""), appendFn)
}

// ListAllByNamespace is like [ListAll], for the objects of one namespace, found by the index [NamespaceIndex]. If there is
// no such index, it scans all objects. The empty namespace means all objects.
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

// filter decides which objects a list keeps. A nil filter keeps all.
type filter func(obj any) (bool, error)

// keeper returns a filter for a selector and a namespace, each of which may be empty. If both are, no metadata is read.
func keeper(selector labels.Selector, namespace string) filter {
	everything := selector == nil || selector.Empty()
	if everything && namespace == "" {
		return nil
	}
	return func(obj any) (bool, error) {
		if r, ok := obj.(object.AtRest); ok {
			if in, _ := object.Name(r.Key()); namespace != "" && in != namespace {
				return false, nil
			}
			return everything || selector.Matches(r.Labels()), nil
		}
		m, err := object.Meta(obj)
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

// NewGenericLister returns a lister for the objects in an indexer. The resource is used in errors.
func NewGenericLister(indexer Indexer, resource schema.GroupResource) GenericLister {
	return genericLister{NewTypedLister[runtime.Object](indexer, resource)}
}

type genericLister struct{ TypedLister[runtime.Object] }

func (l genericLister) ByNamespace(namespace string) GenericNamespaceLister {
	return l.TypedLister.ByNamespace(namespace)
}

// TypedLister reads objects of one type from an indexer, all of them or those of one namespace. The generated listers
// are based on it. Its results are shared and must not be modified, unless the informer packs its objects.
type TypedLister[T any] struct {
	indexer   Indexer
	resource  schema.GroupResource
	namespace string
}

// NewTypedLister returns a lister of all objects in an indexer. The resource is used in errors.
func NewTypedLister[T any](indexer Indexer, resource schema.GroupResource) TypedLister[T] {
	return TypedLister[T]{indexer: indexer, resource: resource}
}

// ByNamespace returns a lister of the objects of one namespace, found by the index [NamespaceIndex] if there is one. The
// empty namespace means all objects.
func (l TypedLister[T]) ByNamespace(namespace string) TypedLister[T] {
	l.namespace = namespace
	return l
}

// Get returns an object: by its name in the namespace of the lister, or by its key in a lister of all. If there is none,
// the error is the API's NotFound.
func (l TypedLister[T]) Get(name string) (T, error) {
	var none T
	obj, exists, err := l.find(name)
	if err != nil {
		return none, err
	}
	if !exists {
		return none, apierrors.NewNotFound(l.resource, name)
	}
	typed, ok := obj.(T)
	if !ok {
		return none, errWrongType[T](obj)
	}
	return typed, nil
}

// find looks up an object. For a store of this package it does not build the key string.
func (l TypedLister[T]) find(name string) (any, bool, error) {
	c, ok := l.indexer.(*cache)
	if !ok || l.namespace == "" {
		return l.indexer.GetByKey(ObjectName{Namespace: l.namespace, Name: name}.String())
	}
	var room [128]byte
	key := append(room[:0], l.namespace...)
	key = append(append(key, '/'), name...)
	obj, exists := c.table.GetBytes(key)
	if !exists {
		return nil, false, nil
	}
	obj, err := c.decode.of(obj, object.ForGet)
	return obj, err == nil, err
}

// List returns the objects that the selector matches, in a new slice. With labels.Everything, or nil, labels are not
// read.
func (l TypedLister[T]) List(selector labels.Selector) ([]T, error) {
	if labels.MatchesNothing(selector) {
		return nil, nil
	}
	s, ok := storeBehind(l.indexer).(viewer)
	if !ok {
		return l.listElsewhere(selector)
	}
	v, keep := l.view(s, selector)
	if keep == nil { // with a filter, code of the program may be called, which may list itself
		v, _ = v.forCopy(func() (again view, err error) {
			again, keep = l.view(s, selector)
			return again, nil
		})
	}
	defer v.Release()
	if selector != nil && !selector.Empty() {
		v.use = object.ForSelector
	}
	if v.Len() == 0 {
		return nil, nil
	}
	return collect[T](&v, keep)
}

// view returns the rows to scan, and the filter for them.
func (l TypedLister[T]) view(s viewer, selector labels.Selector) (view, filter) {
	if l.namespace == "" {
		return s.viewAll(), keeper(selector, "")
	}
	if v, err := s.viewByIndex(NamespaceIndex, l.namespace); err == nil {
		return v, keeper(selector, "")
	}
	return s.viewAll(), keeper(selector, l.namespace)
}

// listElsewhere lists from a store that is not of this package.
func (l TypedLister[T]) listElsewhere(selector labels.Selector) (out []T, err error) {
	var wrong error
	err = ListAllByNamespace(l.indexer, l.namespace, selector, func(obj any) {
		if typed, ok := obj.(T); ok {
			out = append(out, typed)
		} else {
			wrong = errWrongType[T](obj)
		}
	})
	if err == nil {
		err = wrong
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

package cache

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TypedLister reads objects of one type from an indexer, all of them or those of one namespace. The packages of listers
// are made of it, a line a kind. What it returns is shared and must not be changed, unless the informer packs its objects.
type TypedLister[T any] struct {
	indexer   Indexer
	resource  schema.GroupResource
	namespace string
}

// NewTypedLister returns a lister of all objects in an indexer. The resource is what errors speak of.
func NewTypedLister[T any](indexer Indexer, resource schema.GroupResource) TypedLister[T] {
	return TypedLister[T]{indexer: indexer, resource: resource}
}

// ByNamespace returns a lister of the objects of one namespace, found by the index named NamespaceIndex if there is one.
// The empty namespace means all of them.
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

// find looks an object up. In a store of this package it makes no string of the key for that.
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
	obj, err := c.open.of(obj)
	return obj, err == nil, err
}

// List returns the objects that the selector matches, in a slice of the caller's own. With labels.Everything, or nil, it
// does not look at labels.
func (l TypedLister[T]) List(selector labels.Selector) ([]T, error) {
	if labels.MatchesNothing(selector) {
		return nil, nil
	}
	s, ok := storeBehind(l.indexer).(viewer)
	if !ok {
		return l.listElsewhere(selector)
	}
	v, keep := l.view(s, selector)
	if keep == nil { // with one, code of the user may be called, which may list itself
		v, _ = v.forCopy(func() (again view, err error) {
			again, keep = l.view(s, selector)
			return again, nil
		})
	}
	defer v.Release()
	if v.Len() == 0 {
		return nil, nil
	}
	return collect[T](&v, keep)
}

// view returns the rows to look at, and what to look for in them.
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

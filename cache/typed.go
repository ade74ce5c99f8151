package cache

import (
	"fmt"
	"reflect"
)

// TypedIndexFunc is an [IndexFunc] for one type of objects.
type TypedIndexFunc[T any] func(obj T) ([]string, error)

// TypedIndexers maps the names of indexes to their functions.
type TypedIndexers[T any] map[string]TypedIndexFunc[T]

// TypedIndexer is an [Indexer] whose objects are all of one type.
type TypedIndexer[T any] interface {
	Indexer

	// TypedIndex is Index without type assertions.
	TypedIndex(indexName string, obj T) ([]T, error)
	// ByTypedIndex is ByIndex without type assertions.
	ByTypedIndex(indexName, indexedValue string) ([]T, error)
	// AddTypedIndexers is AddIndexers for functions that take a T.
	AddTypedIndexers(newIndexers TypedIndexers[T]) error
}

// TypedIndexersToIndexers adapts functions for a T to an [Indexer].
func TypedIndexersToIndexers[T any](indexers TypedIndexers[T]) Indexers {
	out := make(Indexers, len(indexers))
	for name, f := range indexers {
		out[name] = TypedIndexerFuncToIndexerFunc(f)
	}
	return out
}

// TypedIndexerFuncToIndexerFunc adapts a function for a T to an [Indexer]. An object of another type is an error.
func TypedIndexerFuncToIndexerFunc[T any](indexer TypedIndexFunc[T]) IndexFunc {
	return func(obj interface{}) ([]string, error) {
		typed, ok := obj.(T)
		if !ok {
			return nil, errWrongType[T](obj)
		}
		return indexer(typed)
	}
}

// NewTypedIndexer returns a view of an [Indexer] whose objects are all of type T. It is the same store: what is written
// through one is seen through the other. An object of another type is an error when it is read.
func NewTypedIndexer[T any](indexer Indexer) TypedIndexer[T] { return typedIndexer[T]{indexer} }

type typedIndexer[T any] struct{ Indexer }

func (i typedIndexer[T]) TypedIndex(indexName string, obj T) ([]T, error) {
	list, err := i.Index(indexName, obj)
	if err != nil {
		return nil, err
	}
	return typedList[T](list)
}

func (i typedIndexer[T]) ByTypedIndex(indexName, indexedValue string) ([]T, error) {
	s, ok := i.untyped().(viewer)
	if !ok {
		list, err := i.ByIndex(indexName, indexedValue)
		if err != nil {
			return nil, err
		}
		return typedList[T](list)
	}
	look := func() (view, error) { return s.viewByIndex(indexName, indexedValue) }
	v, err := look()
	if err == nil {
		v, err = v.forCopy(look)
	}
	if err != nil {
		return nil, err
	}
	defer v.Release()
	return collect[T](&v, nil)
}

func (i typedIndexer[T]) AddTypedIndexers(newIndexers TypedIndexers[T]) error {
	return i.AddIndexers(TypedIndexersToIndexers(newIndexers))
}

// storeBehind returns the indexer behind a typed view, or the indexer itself. A wrapper that currently adds nothing to
// the wrapped indexer may have a method Current: listers then read the wrapped one directly.
func storeBehind(indexer Indexer) Indexer {
	switch i := indexer.(type) {
	case interface{ untyped() Indexer }:
		return i.untyped()
	case interface{ Current() Indexer }:
		return i.Current()
	}
	return indexer
}

func (i typedIndexer[T]) untyped() Indexer { return storeBehind(i.Indexer) }

func typedList[T any](list []any) ([]T, error) {
	out := make([]T, len(list))
	for i, obj := range list {
		typed, ok := obj.(T)
		if !ok {
			return nil, errWrongType[T](obj)
		}
		out[i] = typed
	}
	return out, nil
}

func errWrongType[T any](obj any) error {
	return fmt.Errorf("unexpected object of type %T in the cache, want %v", obj, reflect.TypeFor[T]())
}

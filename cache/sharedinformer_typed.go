package cache

import "fmt"

// TypedSharedIndexInformer is a SharedIndexInformer whose objects are all of one type.
type TypedSharedIndexInformer[T Object] interface {
	SharedIndexInformer

	// AddTypedEventHandler is AddEventHandler for a typed handler, with at most one HandlerOptions.
	AddTypedEventHandler(handler TypedResourceEventHandler[T], options ...HandlerOptions) (ResourceEventHandlerRegistration, error)
	// AddTypedIndexers is AddIndexers for functions that take a T.
	AddTypedIndexers(indexers TypedIndexers[T]) error
	// GetTypedIndexer is GetIndexer without type assertions.
	GetTypedIndexer() TypedIndexer[T]
}

// NewTypedSharedIndexInformer returns a view of an informer whose objects are all of type T. It is the same informer.
func NewTypedSharedIndexInformer[T Object](informer SharedIndexInformer) TypedSharedIndexInformer[T] {
	return typedSharedIndexInformer[T]{informer}
}

type typedSharedIndexInformer[T Object] struct{ SharedIndexInformer }

func (s typedSharedIndexInformer[T]) AddTypedEventHandler(handler TypedResourceEventHandler[T], options ...HandlerOptions) (ResourceEventHandlerRegistration, error) {
	if len(options) > 1 {
		return nil, fmt.Errorf("at most one HandlerOptions may be passed, got %d", len(options))
	}
	var o HandlerOptions
	if len(options) == 1 {
		o = options[0]
	}
	return s.AddEventHandlerWithOptions(untypedHandler[T]{handler}, o)
}

func (s typedSharedIndexInformer[T]) AddTypedIndexers(indexers TypedIndexers[T]) error {
	return s.AddIndexers(TypedIndexersToIndexers(indexers))
}

func (s typedSharedIndexInformer[T]) GetTypedIndexer() TypedIndexer[T] {
	return NewTypedIndexer[T](s.GetIndexer())
}

// State tells what the informer is doing.
func (s typedSharedIndexInformer[T]) State() State { return StateOf(s.SharedIndexInformer) }

package shard

import "vedette.dev/cache"

// Handler is called with changes and the shard that they happened in. Objects are shared and must not be modified.
//
//   - It is called for several shards concurrently, unless HandlerOptions.OneAtATime is set, and never concurrently for
//     one shard or one key. The calls for a key are in order.
//   - A handler of one shard remains when the shard is removed, and is called for the objects if a shard of that ID is
//     added again.
//   - An object that moves to another shard because it changed is updated, in the new shard. For a handler of one shard
//     it is deleted, or added.
//   - For an object that moves to another shard because the shards changed, handlers are not called: the object has not
//     changed.
type Handler[T cache.Object] interface {
	OnAdd(shard string, obj T, isInInitialList bool)
	OnUpdate(shard string, oldObj, newObj T)
	OnDelete(shard string, obj cache.DeletedObject[T])
	// OnShardLost is called when a shard was removed, with the keys of the objects that are in no other shard. They are
	// not deleted, but the informer no longer has them: the handler can drop its state for them. It is called more than
	// once if keys have moved before.
	OnShardLost(shard string, keys []string)
}

// HandlerFuncs is a [Handler] that calls functions, some of which may be nil.
type HandlerFuncs[T cache.Object] struct {
	AddFunc    func(shard string, obj T, isInInitialList bool)
	UpdateFunc func(shard string, oldObj, newObj T)
	DeleteFunc func(shard string, obj cache.DeletedObject[T])
	LostFunc   func(shard string, keys []string)
}

// OnAdd calls AddFunc.
func (h HandlerFuncs[T]) OnAdd(shard string, obj T, isInInitialList bool) {
	if h.AddFunc != nil {
		h.AddFunc(shard, obj, isInInitialList)
	}
}

// OnUpdate calls UpdateFunc.
func (h HandlerFuncs[T]) OnUpdate(shard string, oldObj, newObj T) {
	if h.UpdateFunc != nil {
		h.UpdateFunc(shard, oldObj, newObj)
	}
}

// OnDelete calls DeleteFunc.
func (h HandlerFuncs[T]) OnDelete(shard string, obj cache.DeletedObject[T]) {
	if h.DeleteFunc != nil {
		h.DeleteFunc(shard, obj)
	}
}

// OnShardLost calls LostFunc.
func (h HandlerFuncs[T]) OnShardLost(shard string, keys []string) {
	if h.LostFunc != nil {
		h.LostFunc(shard, keys)
	}
}

// HandlerOptions configures a [Handler]. The zero value works.
type HandlerOptions struct {
	cache.HandlerOptions
	// Shard limits the handler to one shard. Empty means all shards, including those that are added later.
	Shard string
	// OneAtATime makes the calls for different shards sequential.
	OneAtATime bool
}

// AddShardHandler adds a handler whose functions are given the shard. AddTypedEventHandler and AddEventHandler add one
// that does not depend on shards; it is called by one goroutine at a time.
func (s *TypedShardingInformer[T]) AddShardHandler(handler Handler[T], options HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return s.machine.AddPartitionHandler(untyped[T]{handler}, options.HandlerOptions, options.Shard, options.OneAtATime)
}

// untyped adapts a Handler to the machine, whose objects are of type T since its streams filter others.
type untyped[T cache.Object] struct{ Handler[T] }

func (u untyped[T]) OnAdd(shard string, obj any, isInInitialList bool) {
	if o, ok := obj.(T); ok {
		u.Handler.OnAdd(shard, o, isInInitialList)
	}
}

func (u untyped[T]) OnUpdate(shard string, oldObj, newObj any) {
	o, ok := newObj.(T)
	if old, before := oldObj.(T); ok && before {
		u.Handler.OnUpdate(shard, old, o)
	}
}

func (u untyped[T]) OnDelete(shard string, obj any) {
	var gone cache.DeletedObject[T]
	switch o := obj.(type) {
	case cache.DeletedFinalStateUnknown:
		gone.FinalStateUnknown = &o
		gone.OptionalObj, _ = o.Obj.(T)
	case T:
		gone.OptionalObj = o
	}
	u.Handler.OnDelete(shard, gone)
}

func (u untyped[T]) OnLost(shard string, keys []string) { u.OnShardLost(shard, keys) }

package cache

import "strings"

// ResourceEventHandler is called for changes, by one goroutine at a time. Its arguments are shared and must not be
// modified.
type ResourceEventHandler interface {
	// OnAdd is called for an object that is new to the handler. isInInitialList reports whether it was in the first list.
	OnAdd(obj interface{}, isInInitialList bool)
	// OnUpdate is called for an object that changed, or, with the same object twice, for a resync. Several changes may
	// have been coalesced into one.
	OnUpdate(oldObj, newObj interface{})
	// OnDelete is called for an object that was deleted, with its last state or, if that was missed, a
	// DeletedFinalStateUnknown.
	OnDelete(obj interface{})
}

// ResourceEventHandlerFuncs is a handler that calls functions, some of which may be nil.
type ResourceEventHandlerFuncs struct {
	AddFunc    func(obj interface{})
	UpdateFunc func(oldObj, newObj interface{})
	DeleteFunc func(obj interface{})
}

func (r ResourceEventHandlerFuncs) OnAdd(obj interface{}, isInInitialList bool) {
	if r.AddFunc != nil {
		r.AddFunc(obj)
	}
}

func (r ResourceEventHandlerFuncs) OnUpdate(oldObj, newObj interface{}) {
	if r.UpdateFunc != nil {
		r.UpdateFunc(oldObj, newObj)
	}
}

func (r ResourceEventHandlerFuncs) OnDelete(obj interface{}) {
	if r.DeleteFunc != nil {
		r.DeleteFunc(obj)
	}
}

// ResourceEventHandlerDetailedFuncs is [ResourceEventHandlerFuncs] with an AddFunc that is given isInInitialList.
type ResourceEventHandlerDetailedFuncs struct {
	AddFunc    func(obj interface{}, isInInitialList bool)
	UpdateFunc func(oldObj, newObj interface{})
	DeleteFunc func(obj interface{})
}

func (r ResourceEventHandlerDetailedFuncs) OnAdd(obj interface{}, isInInitialList bool) {
	if r.AddFunc != nil {
		r.AddFunc(obj, isInInitialList)
	}
}

func (r ResourceEventHandlerDetailedFuncs) OnUpdate(oldObj, newObj interface{}) {
	if r.UpdateFunc != nil {
		r.UpdateFunc(oldObj, newObj)
	}
}

func (r ResourceEventHandlerDetailedFuncs) OnDelete(obj interface{}) {
	if r.DeleteFunc != nil {
		r.DeleteFunc(obj)
	}
}

// FilteringResourceEventHandler passes only the objects that a filter accepts to a handler: an object that begins to
// pass is added, and one that no longer does is deleted. The filter must be fast and deterministic. It may be called
// with a [DeletedFinalStateUnknown].
type FilteringResourceEventHandler struct {
	FilterFunc func(obj interface{}) bool
	Handler    ResourceEventHandler
}

func (r FilteringResourceEventHandler) OnAdd(obj interface{}, isInInitialList bool) {
	if r.FilterFunc(obj) {
		r.Handler.OnAdd(obj, isInInitialList)
	}
}

func (r FilteringResourceEventHandler) OnUpdate(oldObj, newObj interface{}) {
	switch is, was := r.FilterFunc(newObj), r.FilterFunc(oldObj); {
	case is && was:
		r.Handler.OnUpdate(oldObj, newObj)
	case is:
		r.Handler.OnAdd(newObj, false)
	case was:
		r.Handler.OnDelete(oldObj)
	}
}

func (r FilteringResourceEventHandler) OnDelete(obj interface{}) {
	if r.FilterFunc(obj) {
		r.Handler.OnDelete(obj)
	}
}

// Object is the constraint of typed handlers and informers: usually a pointer to an API object.
type Object interface {
	comparable
	GetName() string
	GetNamespace() string
}

// TypedResourceEventHandler is a [ResourceEventHandler] for one type, whose OnDelete has a [DeletedObject] instead of an
// object or a tombstone.
type TypedResourceEventHandler[T Object] interface {
	OnAdd(obj T, isInInitialList bool)
	OnUpdate(oldObj, newObj T)
	OnDelete(obj DeletedObject[T])
}

// DeletedObject is a deleted object. Its key and name are always known.
//
// Its methods are few and short on purpose: every package that uses an informer factory compiles them for each kind.
type DeletedObject[T Object] struct {
	// OptionalObj is the last known state. If FinalStateUnknown is set, it may be stale, or nil.
	OptionalObj T
	// FinalStateUnknown is nil if the watch received the deletion.
	FinalStateUnknown *DeletedFinalStateUnknown
}

// GetObjectName returns namespace and name.
func (d DeletedObject[T]) GetObjectName() ObjectName {
	var none T
	return deletedName(d.OptionalObj, d.OptionalObj != none, d.FinalStateUnknown)
}

// GetName returns the name alone.
func (d DeletedObject[T]) GetName() string { return d.GetObjectName().Name }

// GetNamespace returns the namespace, empty if there is none.
func (d DeletedObject[T]) GetNamespace() string { return d.GetObjectName().Namespace }

// GetKey returns the key under which the object was stored.
func (d DeletedObject[T]) GetKey() string { return deletedKey(d.GetObjectName(), d.FinalStateUnknown) }

// named is the part of Object that is not about its type.
type named interface {
	GetName() string
	GetNamespace() string
}

// deletedName returns the name of obj if that is set, and else the name in the key of its tombstone.
func deletedName(obj named, isSet bool, tombstone *DeletedFinalStateUnknown) ObjectName {
	switch {
	case isSet:
		return ObjectName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	case tombstone == nil:
		return ObjectName{}
	}
	namespace, name, namespaced := strings.Cut(tombstone.Key, "/")
	if !namespaced {
		namespace, name = "", namespace
	}
	return ObjectName{Namespace: namespace, Name: name}
}

func deletedKey(name ObjectName, tombstone *DeletedFinalStateUnknown) string {
	if tombstone != nil {
		return tombstone.Key
	}
	return name.String()
}

// TypedResourceEventHandlerFuncs is a typed handler that calls functions, some of which may be nil.
type TypedResourceEventHandlerFuncs[T Object] struct {
	AddFunc    func(obj T)
	UpdateFunc func(oldObj, newObj T)
	DeleteFunc func(obj DeletedObject[T])
}

func (r TypedResourceEventHandlerFuncs[T]) OnAdd(obj T, isInInitialList bool) {
	if r.AddFunc != nil {
		r.AddFunc(obj)
	}
}

func (r TypedResourceEventHandlerFuncs[T]) OnUpdate(oldObj, newObj T) {
	if r.UpdateFunc != nil {
		r.UpdateFunc(oldObj, newObj)
	}
}

func (r TypedResourceEventHandlerFuncs[T]) OnDelete(obj DeletedObject[T]) {
	if r.DeleteFunc != nil {
		r.DeleteFunc(obj)
	}
}

// TypedResourceEventHandlerDetailedFuncs is [TypedResourceEventHandlerFuncs] with an AddFunc that is given
// isInInitialList.
type TypedResourceEventHandlerDetailedFuncs[T Object] struct {
	AddFunc    func(obj T, isInInitialList bool)
	UpdateFunc func(oldObj, newObj T)
	DeleteFunc func(obj DeletedObject[T])
}

func (r TypedResourceEventHandlerDetailedFuncs[T]) OnAdd(obj T, isInInitialList bool) {
	if r.AddFunc != nil {
		r.AddFunc(obj, isInInitialList)
	}
}

func (r TypedResourceEventHandlerDetailedFuncs[T]) OnUpdate(oldObj, newObj T) {
	if r.UpdateFunc != nil {
		r.UpdateFunc(oldObj, newObj)
	}
}

func (r TypedResourceEventHandlerDetailedFuncs[T]) OnDelete(obj DeletedObject[T]) {
	if r.DeleteFunc != nil {
		r.DeleteFunc(obj)
	}
}

// TypedFilteringResourceEventHandler is [FilteringResourceEventHandler] for one type. For a deletion the filter is called
// with OptionalObj, which may be nil.
type TypedFilteringResourceEventHandler[T Object] struct {
	FilterFunc func(obj T) bool
	Handler    TypedResourceEventHandler[T]
}

func (r TypedFilteringResourceEventHandler[T]) OnAdd(obj T, isInInitialList bool) {
	if r.FilterFunc(obj) {
		r.Handler.OnAdd(obj, isInInitialList)
	}
}

func (r TypedFilteringResourceEventHandler[T]) OnUpdate(oldObj, newObj T) {
	switch is, was := r.FilterFunc(newObj), r.FilterFunc(oldObj); {
	case is && was:
		r.Handler.OnUpdate(oldObj, newObj)
	case is:
		r.Handler.OnAdd(newObj, false)
	case was:
		r.Handler.OnDelete(DeletedObject[T]{OptionalObj: oldObj})
	}
}

func (r TypedFilteringResourceEventHandler[T]) OnDelete(obj DeletedObject[T]) {
	if r.FilterFunc(obj.OptionalObj) {
		r.Handler.OnDelete(obj)
	}
}

// untypedHandler adapts a typed handler to an informer. An object of another type, for example from a transform, is a
// panic, which is handled according to HandlerOptions.
type untypedHandler[T Object] struct {
	handler TypedResourceEventHandler[T]
}

func (h untypedHandler[T]) OnAdd(obj any, isInInitialList bool) {
	h.handler.OnAdd(mustBe[T](obj), isInInitialList)
}

func (h untypedHandler[T]) OnUpdate(oldObj, newObj any) {
	h.handler.OnUpdate(mustBe[T](oldObj), mustBe[T](newObj))
}

func (h untypedHandler[T]) OnDelete(obj any) {
	unseen, ok := obj.(DeletedFinalStateUnknown)
	switch {
	case !ok:
		h.handler.OnDelete(DeletedObject[T]{OptionalObj: mustBe[T](obj)})
	case unseen.Obj == nil:
		h.handler.OnDelete(DeletedObject[T]{FinalStateUnknown: &unseen})
	default:
		h.handler.OnDelete(DeletedObject[T]{OptionalObj: mustBe[T](unseen.Obj), FinalStateUnknown: &unseen})
	}
}

func mustBe[T any](obj any) T {
	typed, ok := obj.(T)
	if !ok {
		panic(errWrongType[T](obj))
	}
	return typed
}

package cache

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/internal/object"
)

// LazyEventHandler is a handler that is called with the key and the type of each change, and gets the object on
// request. With packed storage nothing is decoded before that: a controller that enqueues keys never requests it, and
// reads the object once when it reconciles the key, however often it has changed. Of the four methods only OnEvent is
// called; the others are for informers without support for lazy handlers. Most handlers are a [LazyEventHandlerFunc],
// which has them.
type LazyEventHandler interface {
	ResourceEventHandler
	OnEvent(e LazyEvent)
}

// LazyEvent is a change of an object. It may be kept.
type LazyEvent struct {
	// Type is Added, Modified or Deleted.
	Type watch.EventType
	// Key is namespace/name, or the name alone without a namespace. With several clusters it is prefixed with that of
	// the cluster.
	Key string
	// Initial is true for an added object of the initial list.
	Initial bool

	old, new any     // of the engine: decoded or packed, or a tombstone
	decode   decoder // of a view; nil without one
}

// Object returns the current object; for a deletion the last known state, in a [DeletedFinalStateUnknown] if the watch
// missed the deletion. It must not be modified.
func (e LazyEvent) Object() any {
	return e.decoded(e.current())
}

// OldObject returns the object before a modification, otherwise nil. It must not be modified.
func (e LazyEvent) OldObject() any {
	if e.Type != watch.Modified {
		return nil
	}
	return e.decoded(e.old)
}

// decoded returns the handler's form of an object or a tombstone of the engine.
func (e LazyEvent) decoded(obj any) any {
	if e.decode == nil {
		return decoded(obj)
	}
	if gone, ok := obj.(object.Tombstone); ok {
		out := DeletedFinalStateUnknown{Key: gone.Key}
		if gone.Obj != nil {
			out.Obj = e.decoded(gone.Obj)
		}
		return out
	}
	out, err := e.decode(obj, object.ForHandler)
	if err != nil {
		panic(err) // recovered and counted by the listener that calls the handler
	}
	return out
}

// Resync reports whether the event is a resync, without a change.
func (e LazyEvent) Resync() bool { return e.Type == watch.Modified && object.Identical(e.old, e.new) }

// Name returns the namespace and the name of the object, which in most informers are the Key.
func (e LazyEvent) Name() ObjectName {
	current := e.current()
	if gone, ok := current.(object.Tombstone); ok {
		name, _ := ParseObjectName(gone.Key)
		return name
	}
	if name, err := ObjectToName(current); err == nil {
		return name
	}
	name, _ := ParseObjectName(e.Key)
	return name
}

// UID and ResourceVersion are those of the object that Object returns. They are empty if unknown.
func (e LazyEvent) UID() types.UID { return object.Of(e.current()).UID }

// ResourceVersion returns the resource version of the object.
func (e LazyEvent) ResourceVersion() string { return object.Of(e.current()).Version }

// Meta returns the metadata of the object. For a packed object this is much faster than Object. It must not be
// modified.
func (e LazyEvent) Meta() (metav1.Object, error) {
	current := e.current()
	if gone, ok := current.(object.Tombstone); ok {
		current = gone.Obj
	}
	return object.Meta(current)
}

func (e LazyEvent) current() any {
	if e.Type == watch.Deleted {
		return e.old
	}
	return e.new
}

// LazyEventHandlerFunc is a [LazyEventHandler] that calls a function. It works with any informer: those without support
// for lazy handlers have decoded the object already.
type LazyEventHandlerFunc func(e LazyEvent)

var _ LazyEventHandler = LazyEventHandlerFunc(nil)

// OnEvent calls the function.
func (f LazyEventHandlerFunc) OnEvent(e LazyEvent) { f(e) }

// OnAdd implements [ResourceEventHandler].
func (f LazyEventHandlerFunc) OnAdd(obj interface{}, isInInitialList bool) {
	f(LazyEvent{Type: watch.Added, Key: keyOrNothing(obj), Initial: isInInitialList, new: obj})
}

// OnUpdate implements [ResourceEventHandler].
func (f LazyEventHandlerFunc) OnUpdate(oldObj, newObj interface{}) {
	f(LazyEvent{Type: watch.Modified, Key: keyOrNothing(newObj), old: oldObj, new: newObj})
}

// OnDelete implements [ResourceEventHandler].
func (f LazyEventHandlerFunc) OnDelete(obj interface{}) {
	old := obj
	if gone, ok := obj.(DeletedFinalStateUnknown); ok {
		old = object.Tombstone(gone)
	}
	f(LazyEvent{Type: watch.Deleted, Key: keyOrNothing(obj), old: old})
}

func keyOrNothing(obj any) string {
	key, _ := DeletionHandlingMetaNamespaceKeyFunc(obj)
	return key
}

// deliver calls any handler with the event.
func (e LazyEvent) deliver(h ResourceEventHandler) {
	if lazy, ok := h.(LazyEventHandler); ok {
		lazy.OnEvent(e)
		return
	}
	switch e.Type {
	case watch.Added:
		h.OnAdd(e.Object(), e.Initial)
	case watch.Modified:
		h.OnUpdate(e.OldObject(), e.Object())
	case watch.Deleted:
		h.OnDelete(e.Object())
	}
}

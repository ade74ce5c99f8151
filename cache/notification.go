package cache

import (
	"fmt"

	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/internal/fanout"
	"vedette.dev/internal/object"
)

// notificationHandler is a handler that is called with notifications instead of objects.
type notificationHandler interface {
	handle(n *fanout.Notification)
}

// callOf returns the function that calls a handler with a notification.
func callOf(h ResourceEventHandler) func(*fanout.Notification) {
	switch h := h.(type) {
	case notificationHandler:
		return h.handle
	case LazyEventHandler:
		return func(n *fanout.Notification) { callLazy(h, n) }
	}
	return func(n *fanout.Notification) { callPlain(h, n) }
}

func callPlain(h ResourceEventHandler, n *fanout.Notification) {
	switch n.Type {
	case fanout.Added:
		h.OnAdd(decoded(n.New), n.Initial)
	case fanout.Updated:
		callUpdate(h, n)
	case fanout.Deleted:
		h.OnDelete(decoded(n.Old))
	case fanout.Recreated:
		h.OnDelete(decoded(n.Old))
		h.OnAdd(decoded(n.New), false)
	}
}

// callUpdate calls OnUpdate. For an unchanged object both arguments are the same, even if it is packed.
func callUpdate(h ResourceEventHandler, n *fanout.Notification) {
	obj, old := decoded(n.New), n.Old
	if object.IsAtRest(old) && old == n.New {
		h.OnUpdate(obj, obj)
		return
	}
	h.OnUpdate(decoded(old), obj)
}

func callLazy(h LazyEventHandler, n *fanout.Notification) {
	e := LazyEvent{Key: n.Key, old: n.Old, new: n.New}
	switch n.Type {
	case fanout.Added:
		e.Type, e.Initial = watch.Added, n.Initial
	case fanout.Updated:
		e.Type = watch.Modified
	case fanout.Deleted:
		e.Type = watch.Deleted
	case fanout.Recreated:
		h.OnEvent(LazyEvent{Type: watch.Deleted, Key: n.Key, old: n.Old})
		e.Type, e.old = watch.Added, nil
	default:
		return
	}
	h.OnEvent(e)
}

// handlerType returns the HandlerName of a handler, or its Go type. Handlers that wrap another return that of the
// other.
func handlerType(h ResourceEventHandler) string {
	switch h := h.(type) {
	case interface{ handlerType() string }:
		return h.handlerType()
	case interface{ HandlerName() string }:
		return h.HandlerName()
	}
	return fmt.Sprintf("%T", h)
}

// panicPolicy converts a PanicPolicy for package fanout.
func panicPolicy(p PanicPolicy) fanout.PanicPolicy {
	switch p {
	case PanicRetry:
		return fanout.PanicRetry
	case PanicFatal:
		return fanout.PanicFatal
	}
	return fanout.PanicSkip
}

// handlerState converts the state of a listener.
func handlerState(s fanout.State) HandlerState {
	return HandlerState{
		Number: s.Number, Handler: s.Handler, Synced: s.Synced,
		Waiting: s.Waiting, Oldest: s.Oldest,
		Coalescing: s.Coalescing, Coalesced: s.Coalesced,
		Handled: s.Handled, Busy: s.Busy,
		Panics: s.Panics, LastPanic: s.LastPanic,
	}
}

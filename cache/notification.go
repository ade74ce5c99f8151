package cache

import (
	"fmt"
	"iter"

	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/internal/fanout"
	"vedette.dev/internal/table"
)

// notificationHandler is a handler that is called with notifications, and not with objects.
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
		h.OnAdd(show(n.New), n.Initial)
	case fanout.Updated:
		callUpdate(h, n)
	case fanout.Deleted:
		h.OnDelete(show(n.Old))
	case fanout.Recreated:
		h.OnDelete(show(n.Old))
		h.OnAdd(show(n.New), false)
	}
}

// callUpdate calls OnUpdate. An object that has not changed is passed as one object, also if it is packed.
func callUpdate(h ResourceEventHandler, n *fanout.Notification) {
	obj, old := show(n.New), n.Old
	if p, ok := old.(*packed); ok && p == n.New {
		h.OnUpdate(obj, obj)
		return
	}
	h.OnUpdate(show(old), obj)
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

// handlerType returns the name that a handler gives itself, or else its Go type. Handlers that wrap another return that of the
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

// lostNotification says that a partition has lost keys. It has a key that no object has.
func lostNotification(p *partition, keys []string) fanout.Notification {
	return fanout.Notification{Key: "\x00" + p.config.ID, Type: fanout.Lost, Partition: p.label, Old: keys}
}

// replay is the objects that a listener of a partition begins with. It implements fanout.Replay.
type replay struct {
	view      table.View
	partition *fanout.Partition
	// elsewhere has the partitions of objects that are in another one.
	elsewhere map[string]*fanout.Partition
}

func (r *replay) Len() int { return r.view.Len() }

func (r *replay) Release() { r.view.Release() }

func (r *replay) All() iter.Seq[fanout.Notification] {
	return func(yield func(fanout.Notification) bool) {
		for row := range r.view.Rows() {
			n := fanout.Notification{Key: row.Key(), New: row.Object, Type: fanout.Added, Initial: true, Partition: r.partition}
			if other := r.elsewhere[n.Key]; other != nil {
				n.Partition = other
			}
			if !yield(n) {
				return
			}
		}
	}
}

// panicPolicy returns a PanicPolicy as package fanout knows it.
func panicPolicy(p PanicPolicy) fanout.PanicPolicy {
	switch p {
	case PanicRetry:
		return fanout.PanicRetry
	case PanicFatal:
		return fanout.PanicFatal
	}
	return fanout.PanicSkip
}

// handlerStates returns the states of listeners as those of their handlers.
func handlerStates(lists ...[]fanout.State) []HandlerState {
	out := []HandlerState{}
	for _, states := range lists {
		for _, s := range states {
			out = append(out, HandlerState{
				Number: s.Number, Handler: s.Handler, Synced: s.Synced,
				Waiting: s.Waiting, Oldest: s.Oldest,
				Merging: s.Coalescing, Merged: s.Coalesced,
				Handled: s.Handled, Busy: s.Busy,
				Panics: s.Panics, LastPanic: s.LastPanic,
			})
		}
	}
	return out
}

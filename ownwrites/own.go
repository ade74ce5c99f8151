package ownwrites

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
)

// OwnAdd reports whether an added object is in the state in which this program left it: created by it, and not changed
// by others since. In doubt it returns false.
//
// A handler that was added late receives all existing objects, own ones, too. It should not filter those: see Handler,
// which does not.
func (t *Tracker) OwnAdd(obj any) bool {
	m := metaOf(obj)
	if m == nil {
		return false
	}
	return t.await(m, func() bool { return t.memory.leads(m.GetUID(), "", m.GetResourceVersion()) })
}

// OwnUpdate reports whether all changes of an object between two states were made by this program. It returns false if
// the states are the same, as in a resync, and if the deletion timestamp was set: finalizers must be processed whichever client
// deleted the object. In doubt it returns false.
func (t *Tracker) OwnUpdate(oldObj, newObj any) bool {
	was, is := metaOf(oldObj), metaOf(newObj)
	if was == nil || is == nil || was.GetUID() != is.GetUID() || was.GetResourceVersion() == is.GetResourceVersion() {
		return false
	}
	if was.GetDeletionTimestamp() == nil && is.GetDeletionTimestamp() != nil {
		return false
	}
	return t.await(is, func() bool {
		return t.memory.leads(is.GetUID(), was.GetResourceVersion(), is.GetResourceVersion())
	})
}

// OwnDelete reports whether this program deleted an object, or removed its last finalizer. It returns false if the
// program only started the deletion, and others completed it. The object may be a cache.DeletedFinalStateUnknown.
func (t *Tracker) OwnDelete(obj any) bool {
	_, m := t.identify(obj)
	if m == nil || m.GetUID() == "" {
		return false
	}
	return t.await(m, func() bool { return t.memory.isDeleted(m.GetUID()) })
}

// await calls own and, if it returns false, calls it again after the answer to each write in flight to the object: a
// watch event may be faster than the answer.
func (t *Tracker) await(m metav1.Object, own func() bool) bool {
	if t.closed.Load() {
		return false
	}
	if own() {
		t.counts.echoes.Add(1)
		return true
	}
	if t.config.AnswerTimeout < 0 {
		return false
	}
	flying := t.flights.of(m)
	if len(flying) == 0 {
		return false
	}
	late := time.NewTimer(t.config.AnswerTimeout)
	defer late.Stop()
	for _, f := range flying {
		select {
		case <-f.landed:
		case <-late.C:
			return false
		}
		if own() {
			t.counts.echoes.Add(1)
			return true
		}
	}
	return false
}

// Handler returns a handler that forwards foreign events to next. Objects of the initial list are always forwarded.
func (t *Tracker) Handler(next cache.ResourceEventHandler) cache.ResourceEventHandler {
	return foreign{t, next}
}

type foreign struct {
	t    *Tracker
	next cache.ResourceEventHandler
}

func (f foreign) OnAdd(obj any, isInInitialList bool) {
	if isInInitialList || !f.t.OwnAdd(obj) {
		f.next.OnAdd(obj, isInInitialList)
	}
}

func (f foreign) OnUpdate(oldObj, newObj any) {
	if !f.t.OwnUpdate(oldObj, newObj) {
		f.next.OnUpdate(oldObj, newObj)
	}
}

func (f foreign) OnDelete(obj any) {
	if !f.t.OwnDelete(obj) {
		f.next.OnDelete(obj)
	}
}

// TypedHandler is like Handler, for a typed handler.
func TypedHandler[T cache.Object](t *Tracker, next cache.TypedResourceEventHandler[T]) cache.TypedResourceEventHandler[T] {
	return typedForeign[T]{t, next}
}

type typedForeign[T cache.Object] struct {
	t    *Tracker
	next cache.TypedResourceEventHandler[T]
}

func (f typedForeign[T]) OnAdd(obj T, isInInitialList bool) {
	if isInInitialList || !f.t.OwnAdd(obj) {
		f.next.OnAdd(obj, isInInitialList)
	}
}

func (f typedForeign[T]) OnUpdate(oldObj, newObj T) {
	if !f.t.OwnUpdate(oldObj, newObj) {
		f.next.OnUpdate(oldObj, newObj)
	}
}

func (f typedForeign[T]) OnDelete(obj cache.DeletedObject[T]) {
	if !f.t.OwnDelete(obj.OptionalObj) {
		f.next.OnDelete(obj)
	}
}

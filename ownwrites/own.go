package ownwrites

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
)

// OwnAdd tells whether an object that a handler was told of as added is as this program left it: created by it, and then
// changed by nobody else. In doubt it is not.
//
// A handler that was added late hears of all objects that there are, own ones, too. It should not leave those out: see
// Handler, which does not.
func (t *Tracker) OwnAdd(obj any) bool {
	m := metaOf(obj)
	if m == nil {
		return false
	}
	return t.await(m, func() bool { return t.memory.leads(m.GetUID(), "", m.GetResourceVersion()) })
}

// OwnUpdate tells whether everything that happened to an object between two states was done by this program. It is not if the
// states are the same, as in a resync, nor if the object began to be deleted: whoever has to do with that should hear of
// it. In doubt it is not.
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

// OwnDelete tells whether it was this program that deleted an object, or removed its last finalizer. It is not if the
// program had only begun it, and others ended it. The object may be a cache.DeletedFinalStateUnknown.
func (t *Tracker) OwnDelete(obj any) bool {
	_, m := t.identify(obj)
	if m == nil || m.GetUID() == "" {
		return false
	}
	return t.await(m, func() bool { return t.memory.isDeleted(m.GetUID()) })
}

// await asks whether an event is an own one and, if not, again when each of the writes that are under way to its object has
// been answered. A watch may be faster than an answer.
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

// Handler returns a handler that tells next of the events that others caused. Objects that were there when it was added to the
// informer it tells of in any case.
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

// TypedHandler is Handler for a typed handler.
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

package controller

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/cache"
)

// Reason is the reason for which a source enqueues a key.
type Reason uint8

const (
	// Added is an object that is new to the controller.
	Added Reason = iota + 1
	// Initial is an object of the initial list.
	Initial
	// Updated is an object that changed.
	Updated
	// Resynced is an object that did not change, and is enqueued again because its resync period has passed.
	Resynced
	// Deleted is an object that was deleted.
	Deleted
	// Sent is a key that was received from a channel.
	Sent
	// Ticked is a key of a periodic source: see Every.
	Ticked
)

var reasons = [...]string{1: "added", "initial list", "updated", "resynced", "deleted", "sent", "timer"}

func (r Reason) String() string {
	if int(r) >= len(reasons) || r == 0 {
		return fmt.Sprintf("Reason(%d)", uint8(r))
	}
	return reasons[r]
}

// Event is an event of an informer. Its objects are shared and must not be modified.
type Event[T cache.Object] struct {
	Reason Reason
	// Name is the name of the object.
	Name cache.ObjectName
	// Object is the newest known state. After a deletion that the watch missed it may be stale, or nil.
	Object T
	// Old is the state before an update, otherwise nil, also for a resync. Several changes may have been coalesced into
	// one.
	Old T
}

// Predicate reports whether an event should lead to a reconcile. It must be fast: it blocks the other events of the
// source.
type Predicate[T cache.Object] func(e Event[T]) bool

// All returns a predicate that is true if all of predicates are.
func All[T cache.Object](predicates ...Predicate[T]) Predicate[T] {
	return func(e Event[T]) bool {
		for _, p := range predicates {
			if !p(e) {
				return false
			}
		}
		return true
	}
}

// Any returns a predicate that is true if at least one of predicates is.
func Any[T cache.Object](predicates ...Predicate[T]) Predicate[T] {
	return func(e Event[T]) bool {
		for _, p := range predicates {
			if p(e) {
				return true
			}
		}
		return false
	}
}

// Not returns the negation of a predicate.
func Not[T cache.Object](p Predicate[T]) Predicate[T] { return func(e Event[T]) bool { return !p(e) } }

// MetaObject is an object with metadata, which all API objects are.
type MetaObject interface {
	cache.Object
	metav1.Object
}

// GenerationChanged returns a predicate that is true for updates that changed the generation, and for every event that
// is not an update. Changes of the status, labels or annotations do not change the generation; a deletion that waits
// for finalizers does. For kinds without generations it is false for every update.
func GenerationChanged[T MetaObject]() Predicate[T] {
	return func(e Event[T]) bool { return e.Reason != Updated || e.Old.GetGeneration() != e.Object.GetGeneration() }
}

// VersionChanged returns a predicate that is true for everything but resyncs.
func VersionChanged[T cache.Object]() Predicate[T] {
	return func(e Event[T]) bool { return e.Reason != Resynced }
}

// Labelled returns a predicate that is true if the selector matches the object, or matched it before the update, and
// for deletions of objects whose labels are unknown.
func Labelled[T MetaObject](selector labels.Selector) Predicate[T] {
	matches := func(obj T) bool {
		var none T
		return obj != none && selector.Matches(labels.Set(obj.GetLabels()))
	}
	return func(e Event[T]) bool {
		var none T
		return matches(e.Object) || matches(e.Old) || e.Reason == Deleted && e.Object == none
	}
}

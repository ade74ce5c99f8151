package controller

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/cache"
)

// What is why a source asks for a key.
type What uint8

const (
	// Added is an object that the controller had not heard of.
	Added What = iota + 1
	// Initial is an object that was there before the controller began.
	Initial
	// Updated is an object that changed.
	Updated
	// Resynced is an object that did not change, and is to be looked at again because its resync period is over.
	Resynced
	// Deleted is an object that is gone.
	Deleted
	// Sent is a key that came through a channel.
	Sent
	// Ticked is a key whose time has come round.
	Ticked
)

var whats = [...]string{1: "added", "there at the start", "updated", "resynced", "deleted", "sent", "timer"}

func (w What) String() string {
	if int(w) >= len(whats) || w == 0 {
		return fmt.Sprintf("What(%d)", uint8(w))
	}
	return whats[w]
}

// Event is what an informer tells. Its objects are shared, and must not be changed.
type Event[T cache.Object] struct {
	What What
	// Name is that of the object.
	Name cache.ObjectName
	// Object is the newest state that is known. After a deletion that nobody saw it may be older than that, or nil.
	Object T
	// Old is the state before an update, nil otherwise, also at a resync. Several changes may have been merged into one.
	Old T
}

// Predicate tells whether an event matters. It must be quick: the other events of the source wait for it.
type Predicate[T cache.Object] func(e Event[T]) bool

// All passes what all of them pass.
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

// Any passes what at least one of them passes.
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

// Not passes what another one does not.
func Not[T cache.Object](p Predicate[T]) Predicate[T] { return func(e Event[T]) bool { return !p(e) } }

// MetaObject is an object with metadata, which all API objects are.
type MetaObject interface {
	cache.Object
	metav1.Object
}

// GenerationChanged passes updates that changed the generation, which changes of the status alone do not, and everything that
// is not an update. It is for kinds that count generations: for others it passes no update at all. A deletion that waits for
// finalizers raises the generation too, changes of labels and annotations do not.
func GenerationChanged[T MetaObject]() Predicate[T] {
	return func(e Event[T]) bool { return e.What != Updated || e.Old.GetGeneration() != e.Object.GetGeneration() }
}

// VersionChanged passes everything but resyncs.
func VersionChanged[T cache.Object]() Predicate[T] {
	return func(e Event[T]) bool { return e.What != Resynced }
}

// Labelled passes what is about objects with labels that match, or did before the update, and deletions of which nobody knows the
// labels.
func Labelled[T MetaObject](selector labels.Selector) Predicate[T] {
	matches := func(obj T) bool {
		var none T
		return obj != none && selector.Matches(labels.Set(obj.GetLabels()))
	}
	return func(e Event[T]) bool {
		var none T
		return matches(e.Object) || matches(e.Old) || e.What == Deleted && e.Object == none
	}
}

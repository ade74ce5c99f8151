package controller

import (
	"context"

	"vedette.dev/cache"
	"vedette.dev/controller/internal/flight"
)

// Source enqueues keys for a controller. [For], [Owns], [Watches], [Channel] and [Every] return the usual ones.
type Source[K comparable] interface {
	// Run enqueues keys until the context ends, and returns when all its goroutines have ended. It calls ready when it
	// has enqueued everything that existed when it started. An error stops the controller.
	Run(ctx context.Context, enqueuer Enqueuer[K], ready func()) error
	// String names the source in errors and explanations.
	String() string
}

// Enqueuer adds the keys of a source to the queue of a controller. It is safe for concurrent use.
type Enqueuer[K comparable] interface {
	// Add enqueues a key.
	Add(key K, reason Reason)
	// Filtered records an event that a predicate filtered. It is used by Explain only.
	Filtered(key K, reason Reason)
}

// Observer is a source that can report what it knows about a key.
type Observer[K comparable] interface {
	Observe(key K) Observation
}

// Observation is what a source knows about a key.
type Observation struct {
	// Informer is the state of the source's informer, Handler the state of the source's event handler.
	Informer cache.State
	Handler  cache.HandlerState
	// Cached is true if an object of this key is in the store; ResourceVersion is its version. Unknown is true if the
	// source cannot know: its objects have other keys.
	Cached, Unknown bool
	ResourceVersion string
}

// sourceOf implements Enqueuer for one source and writes its records.
type sourceOf[K comparable] struct {
	c      *Controller[K]
	number uint8
	track  *flight.Track
}

func (s *sourceOf[K]) Add(key K, reason Reason) {
	s.c.note(s.track, key, flight.Note{Event: uint8(reason), From: s.number})
	s.c.add(key, reason)
}

func (s *sourceOf[K]) Filtered(key K, reason Reason) {
	s.c.note(s.track, key, flight.Note{Event: filteredBit | uint8(reason), From: s.number})
}

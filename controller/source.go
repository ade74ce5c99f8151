package controller

import (
	"context"

	"vedette.dev/cache"
	"vedette.dev/controller/internal/flight"
)

// Source brings keys to a controller. For, Owns, Watches, Channel and Every make the usual ones.
type Source[K comparable] interface {
	// Run brings keys until the context ends, and returns when nothing of it runs any more. It calls ready when it has
	// brought all that there was when it began. An error stops the controller.
	Run(ctx context.Context, inlet Inlet[K], ready func()) error
	// String names the source in errors and explanations.
	String() string
}

// Inlet is where a source puts keys. It is safe for concurrent use.
type Inlet[K comparable] interface {
	// Add asks for a key to be reconciled.
	Add(key K, what What)
	// Filtered says that something happened to a key which does not matter. It is only for the records: see Explain.
	Filtered(key K, what What)
}

// Observer is a source that can tell what it knows of a key.
type Observer[K comparable] interface {
	Observe(key K) Observation
}

// Observation is what a source knows of a key.
type Observation struct {
	// Informer is the state of the informer behind the source, and Handler that of the handler by which the source hears.
	Informer cache.State
	Handler  cache.HandlerState
	// Cached tells whether an object of this key is in the store; ResourceVersion is its version. Unknown says that the source
	// cannot tell: its objects have other keys.
	Cached, Unknown bool
	ResourceVersion string
}

// sourceOf is an inlet that knows the source, for the records.
type sourceOf[K comparable] struct {
	c      *Controller[K]
	number uint8
	track  *flight.Track
}

func (s *sourceOf[K]) Add(key K, what What) {
	s.c.note(s.track, key, flight.Note{What: uint8(what), From: s.number})
	s.c.add(key, what)
}

func (s *sourceOf[K]) Filtered(key K, what What) {
	s.c.note(s.track, key, flight.Note{What: filteredBit | uint8(what), From: s.number})
}

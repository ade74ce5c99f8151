// Package activity lets those who wait say what they wait for, to whoever asked to be told.
//
// A controller puts a Note into the context of a reconcile; the client, which gets that context, says there that it waits for
// its rate limiter, or for an answer. So somebody who asks why a key takes so long is told more than that it does.
package activity

import (
	"context"
	"sync/atomic"
	"time"
)

// Note is what goes on in one context.
type Note struct {
	now atomic.Pointer[step]
}

type step struct {
	kind  Kind
	what  func() string
	since time.Time
	over  atomic.Bool
	// outer is what was waited for when this began, and may be over by now.
	outer *step
}

// Kind is what sort of waiting it is.
type Kind int

const (
	// Nothing is known to be waited for.
	Nothing Kind = iota
	// Throttled is to wait for the rate limiter of the client.
	Throttled
	// Request is to wait for the answer of a server.
	Request
)

type key struct{}

// With returns a context that carries the note.
func With(ctx context.Context, n *Note) context.Context { return context.WithValue(ctx, key{}, n) }

// From returns the note of a context, or nil.
func From(ctx context.Context) *Note {
	n, _ := ctx.Value(key{}).(*Note)
	return n
}

// Enter says that a wait begins; what it is for is asked for only when somebody wants to know. A wait may be a part of another.
// Of several at the same time the last counts.
func (n *Note) Enter(kind Kind, what func() string) (leave func()) {
	s := &step{kind: kind, what: what, since: time.Now()}
	for s.outer = n.now.Load(); !n.now.CompareAndSwap(s.outer, s); s.outer = n.now.Load() {
	}
	return func() {
		s.over.Store(true)
		for top := n.now.Load(); top != nil && top.over.Load(); top = n.now.Load() {
			n.now.CompareAndSwap(top, top.outer)
		}
	}
}

// Now tells what is waited for, and since when.
func (n *Note) Now() (kind Kind, what string, since time.Time) {
	s := n.now.Load()
	if s == nil {
		return Nothing, "", time.Time{}
	}
	return s.kind, s.what(), s.since
}

// Package activity records what a goroutine is waiting for.
//
// A controller puts a Note into the context of a reconcile; the client, which gets that context, records there that it
// waits for its rate limiter, or for a response. So an explanation of a slow key can include it.
package activity

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Note is what goes on in one context.
type Note struct {
	mu sync.Mutex
	// steps are the current waits, newest last: usually one.
	steps []*step
}

type step struct {
	kind  Kind
	what  func() string
	since time.Time
}

// Kind is the kind of a wait.
type Kind int

const (
	// nothing is known to be waited for.
	nothing Kind = iota
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

// Enter records the start of a wait; what describes it, and is called only when needed. Waits may be nested. Of several
// concurrent ones, the last counts.
func (n *Note) Enter(kind Kind, what func() string) (leave func()) {
	s := &step{kind: kind, what: what, since: time.Now()}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.steps = append(n.steps, s)
	return func() { n.leave(s) }
}

func (n *Note) leave(s *step) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if i := slices.Index(n.steps, s); i >= 0 {
		n.steps = slices.Delete(n.steps, i, i+1)
	}
}

// Now returns what is waited for, and since when.
func (n *Note) Now() (kind Kind, what string, since time.Time) {
	s := n.last()
	if s == nil {
		return nothing, "", time.Time{}
	}
	return s.kind, s.what(), s.since
}

func (n *Note) last() *step {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.steps) == 0 {
		return nil
	}
	return n.steps[len(n.steps)-1]
}

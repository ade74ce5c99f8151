package fence

import (
	"errors"
	"sync/atomic"
)

// ErrNoTerm is wrapped by the error of a request that is rejected because its [Gate] has had no term yet.
var ErrNoTerm = errors.New("no term has begun")

// Gate holds the term of a process, for clients that must not write without one. The zero value is closed: it rejects
// writes until Open has been called.
type Gate struct {
	term atomic.Pointer[Term]
}

// Open lets requests pass while t lasts. It replaces the term of an earlier call.
func (g *Gate) Open(t *Term) { g.term.Store(t) }

// Err returns nil if the process may write now, by the clock, and an error that wraps [ErrNoTerm] or [ErrTermOver] otherwise.
func (g *Gate) Err() error {
	t := g.term.Load()
	if t == nil {
		return ErrNoTerm
	}
	return t.Err()
}

package memory

import (
	"context"
	"sync/atomic"
)

// cell holds one response of the server. Reads of a final response take no lock.
type cell[T any] struct {
	turn chan struct{} // of capacity 1: held during the request
	last atomic.Pointer[answer[T]]
}

type answer[T any] struct {
	value T
	err   error
	// final responses are kept; others are requested again.
	final bool
}

func newCell[T any](last *answer[T]) *cell[T] {
	c := &cell[T]{turn: make(chan struct{}, 1)}
	c.last.Store(last)
	return c
}

// get returns the final response, or requests one. Concurrent callers share one request.
func (c *cell[T]) get(ctx context.Context, ask func(context.Context) *answer[T]) (T, error) {
	seen := c.last.Load()
	if seen != nil && seen.final {
		return seen.value, seen.err
	}
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
	if now := c.last.Load(); now != seen {
		return now.value, now.err
	}
	now := ask(ctx)
	// An error because our own context ended is not valid for other callers.
	if now.err == nil || ctx.Err() == nil {
		c.last.Store(now)
	}
	return now.value, now.err
}

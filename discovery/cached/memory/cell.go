package memory

import (
	"context"
	"sync/atomic"
)

// cell holds one answer of the server. Readers of a final answer take no lock.
type cell[T any] struct {
	turn chan struct{} // of capacity 1: held by the one who asks the server
	last atomic.Pointer[answer[T]]
}

type answer[T any] struct {
	value T
	err   error
	// final answers are kept; others are asked for again.
	final bool
}

func newCell[T any](last *answer[T]) *cell[T] {
	c := &cell[T]{turn: make(chan struct{}, 1)}
	c.last.Store(last)
	return c
}

// get returns the final answer, or asks for one. Those who come while another asks get the answer of that one.
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
	// What failed because our own context ended is no answer for others.
	if now.err == nil || ctx.Err() == nil {
		c.last.Store(now)
	}
	return now.value, now.err
}

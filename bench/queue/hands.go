package queue

import (
	"fmt"
	"sync/atomic"
)

// hand checks that a key is never with two workers at the same time.
type hand struct {
	holders atomic.Int32
	clashes atomic.Int32
}

// take stands directly after Get, and release directly before Done.
func (h *hand) take() {
	if h.holders.Add(1) != 1 {
		h.clashes.Add(1)
	}
}

func (h *hand) release() { h.holders.Add(-1) }

func (h *hand) check(index int) error {
	if n := h.clashes.Load(); n != 0 {
		return fmt.Errorf("key %s was in two hands %d times", keyOf(index), n)
	}
	return nil
}

package queue

import (
	"fmt"
	"sync/atomic"
)

// tally counts how often each key was handed out, and signals when as many hand-outs as
// expected have happened.
type tally struct {
	times []atomic.Uint32
	left  atomic.Int64
	all   chan struct{} // closed at the expected number of hand-outs
}

func newTally(keys, handOuts int) *tally {
	t := &tally{times: make([]atomic.Uint32, keys), all: make(chan struct{})}
	t.left.Store(int64(handOuts))
	return t
}

// note counts one hand-out and returns how many are still to come.
func (t *tally) note(index int) (left int64) {
	t.times[index].Add(1)
	left = t.left.Add(-1)
	if left == 0 {
		close(t.all)
	}
	return left
}

// once checks that every key was handed out exactly once.
func (t *tally) once() error {
	for i := range t.times {
		if n := t.times[i].Load(); n != 1 {
			return fmt.Errorf("key %s was handed out %d times, want 1", keyOf(i), n)
		}
	}
	return nil
}

// exactly checks that there were as many hand-outs as expected, and that no key was left out.
func (t *tally) exactly(handOuts int) error {
	if left := t.left.Load(); left != 0 {
		return fmt.Errorf("%d hand-outs, want %d", handOuts-int(left), handOuts)
	}
	for i := range t.times {
		if t.times[i].Load() == 0 {
			return fmt.Errorf("key %s was never handed out", keyOf(i))
		}
	}
	return nil
}

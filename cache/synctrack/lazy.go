package synctrack

import (
	"sync"
	"sync/atomic"
)

// Lazy computes a value when it is needed, and keeps it until Notify. Only Evaluate has to be set.
type Lazy[T any] struct {
	// Evaluate computes the value. It may be called while an evaluation from before a Notify is still running.
	Evaluate func() (T, error)

	current atomic.Pointer[evaluation[T]]
}

// evaluation is the value between two calls of Notify.
type evaluation[T any] struct {
	mu    sync.Mutex
	done  bool
	value T
}

// Notify invalidates the value.
func (z *Lazy[T]) Notify() { z.current.Store(new(evaluation[T])) }

// Get returns the value, and computes it if necessary. Concurrent callers wait for the same result. An error is not
// kept: the next Get tries again.
func (z *Lazy[T]) Get() (T, error) {
	e := z.current.Load()
	if e == nil {
		z.current.CompareAndSwap(nil, new(evaluation[T]))
		e = z.current.Load()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.done {
		return e.value, nil
	}
	value, err := z.Evaluate()
	if err == nil {
		e.value, e.done = value, true
	}
	return value, err
}

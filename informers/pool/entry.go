package pool

import (
	"context"
	"sync"

	"vedette.dev/cache"
)

// entry is an informer, and the number of its references. The lock of shared guards it.
type entry struct {
	informer cache.SharedIndexInformer
	// references is the number of pools that hold it.
	references int
	// cancel stops it. It is nil before the start.
	cancel context.CancelCauseFunc
	// ended is closed when it has stopped, or was released before it started.
	ended chan struct{}
}

// start runs the informer unless it was started before. It gets the values of the context, but not its end: other pools
// may hold the informer longer.
func (e *entry) start(ctx context.Context, running *sync.WaitGroup) {
	if e.cancel != nil {
		return
	}
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	e.cancel = cancel
	running.Go(func() {
		defer close(e.ended)
		e.informer.RunWithContext(own)
	})
}

func (e *entry) stop(cause error) {
	if e.cancel == nil {
		close(e.ended)
		return
	}
	e.cancel(cause)
}

// reference is an entry that is held by one pool.
type reference struct {
	entry *entry
	// started means that the pool has started it.
	started bool
	// leave removes it from the run that started it.
	leave func()
	// dropped means that the pool no longer holds it, and last that no other pool did then. gone is closed when dropped
	// is set.
	dropped, last bool
	gone          chan struct{}
}

// wait waits for the informer to end, if this reference was the last.
func (r *reference) wait(ctx context.Context) error {
	if !r.last {
		return nil
	}
	select {
	case <-r.entry.ended:
		return nil
	default:
	}
	select {
	case <-r.entry.ended:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

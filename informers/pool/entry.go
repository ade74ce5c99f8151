package pool

import (
	"context"
	"sync"

	"vedette.dev/cache"
)

// entry is an informer, and who holds it. The lock of shared guards it.
type entry struct {
	informer cache.SharedIndexInformer
	// holders is how many pools hold it.
	holders int
	// cancel stops it. Nil before it was started.
	cancel context.CancelCauseFunc
	// ended is closed when it has stopped, or was let go before it started.
	ended chan struct{}
}

// start runs the informer unless it was started before. It gets the values of the context, but not its end: others may
// hold the informer longer.
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

// hold is an entry, held by one pool.
type hold struct {
	entry *entry
	// started tells that the pool has started it.
	started bool
	// leave takes it out of the run that started it.
	leave func()
	// dropped tells that the pool no longer holds it, and last that nobody did then. gone is closed when dropped is set.
	dropped, last bool
	gone          chan struct{}
}

// wait waits for the informer to end, if it was the hold that ended it.
func (h *hold) wait(ctx context.Context) error {
	if !h.last {
		return nil
	}
	select {
	case <-h.entry.ended:
		return nil
	default:
	}
	select {
	case <-h.entry.ended:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

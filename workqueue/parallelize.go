package workqueue

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// DoWorkPieceFunc works on one piece.
type DoWorkPieceFunc func(piece int)

type options struct{ chunkSize int }

// Options change how [ParallelizeUntil] works.
type Options func(*options)

// WithChunkSize makes a worker take c pieces at a time, which pays when there are many and each is quick.
func WithChunkSize(c int) func(*options) {
	return func(o *options) { o.chunkSize = c }
}

// ParallelizeUntil calls doWorkPiece for the pieces 0 to pieces-1, on at most workers goroutines, until all are done or
// ctx is. When it returns, no call is running. Fewer than one worker means one, so that the work is done in any case;
// a nil ctx never ends. If a piece panics, no more are begun, and the panic is raised again in the caller.
func ParallelizeUntil(ctx context.Context, workers, pieces int, doWorkPiece DoWorkPieceFunc, opts ...Options) {
	if pieces <= 0 {
		return
	}
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	p := parallel{pieces: pieces, chunk: min(max(o.chunkSize, 1), pieces), work: doWorkPiece}
	if ctx != nil {
		p.stop = ctx.Done()
	}
	chunks := (pieces-1)/p.chunk + 1
	var group sync.WaitGroup
	for range min(max(workers, 1), chunks) {
		group.Go(p.run)
	}
	group.Wait()
	if fault := p.fault.Load(); fault != nil {
		panic(*fault)
	}
}

type parallel struct {
	pieces, chunk int
	work          DoWorkPieceFunc
	stop          <-chan struct{}
	begun         atomic.Int64 // chunks that were begun
	fault         atomic.Pointer[string]
}

func (p *parallel) run() {
	defer func() {
		if r := recover(); r != nil {
			fault := fmt.Sprintf("workqueue: a piece of ParallelizeUntil panicked: %v\n%s", r, debug.Stack())
			p.fault.CompareAndSwap(nil, &fault)
		}
	}()
	for {
		// In this form the product cannot overflow: the last chunk that is begun starts below pieces.
		chunk := int(p.begun.Add(1)) - 1
		if chunk > (p.pieces-1)/p.chunk {
			return
		}
		start := chunk * p.chunk
		for piece := start; piece < start+min(p.chunk, p.pieces-start); piece++ {
			if p.stopped() {
				return
			}
			p.work(piece)
		}
	}
}

func (p *parallel) stopped() bool {
	select {
	case <-p.stop:
		return true
	default:
		return p.fault.Load() != nil
	}
}

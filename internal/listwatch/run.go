package listwatch

import (
	"context"
	"sync"
	"time"
)

// step is a state of a reflector. Each has a case in advance, which acts and returns the next state.
type step int

const (
	stepBegin   step = iota // → stream, list
	stepStream              // → watch, list, begin (at another version), back off
	stepList                // → watch, back off
	stepWatch               // → begin (to recheck undecodable objects), back off
	stepBackOff             // → what is retried: begin, watch
	stepStop                // the context has ended
)

// running is a reflector while it runs.
type running struct {
	*Reflector

	// left is the open watch that stepStream leaves to stepWatch.
	left *watching
	// cut means that the last watch was interrupted.
	cut bool

	// For stepBackOff: failure is the error, again the state after the wait, and reported the error that OnError is
	// called with, or nil.
	failure  error
	again    step
	reported error

	internal *RetryWithDeadline // of errors inside the server

	// round lasts from one list to the next. It ends early if a resync fails.
	round    context.Context
	endRound context.CancelCauseFunc
	resyncs  sync.WaitGroup
}

func newRunning(r *Reflector) *running { return &running{Reflector: r} }

// advance executes a state, and returns the next.
func (r *running) advance(ctx context.Context, s step) step {
	if ctx.Err() != nil {
		return stepStop
	}
	switch s {
	case stepBegin:
		return r.begin(ctx)
	case stepStream:
		return r.stream()
	case stepList:
		return r.list()
	case stepWatch:
		return r.watch()
	case stepBackOff:
		return r.backOff(ctx)
	}
	return stepStop
}

// begin starts a round.
func (r *running) begin(ctx context.Context) step {
	r.close()
	r.reported = nil
	r.round, r.endRound = context.WithCancelCause(ctx)
	r.internal = NewRetryWithDeadline(r.config.InternalErrorRetry, time.Minute, isInternalError, r.config.Clock)
	if r.resume != "" {
		r.resumed(r.resume)
		r.resume = ""
		return stepWatch
	}
	if r.config.Source.NoWatchList || !r.fallback.mayWatchList(r.config.Clock.Now()) {
		return stepList
	}
	return stepStream
}

// close ends a round, and waits for its goroutines.
func (r *running) close() {
	if r.left != nil {
		r.left.close()
		r.left = nil
	}
	if r.endRound != nil {
		r.endRound(nil)
	}
	r.resyncs.Wait()
}

// roundEnds reports whether the round is over.
func (r *running) roundEnds(s step) bool { return s == stepBackOff && r.again == stepBegin }

// fail goes to stepBackOff, and from there to again. OnError is not called.
func (r *running) fail(err error, again step) step {
	r.failure, r.again, r.reported = err, again, nil
	r.failing(err)
	return stepBackOff
}

// giveUp is fail for errors that end a round and that OnError is called with.
func (r *running) giveUp(err error) step {
	r.fail(err, stepBegin)
	r.reported = err
	return stepBackOff
}

// backOff waits. A wait between two rounds belongs to neither, so that no resync goes on meanwhile.
func (r *running) backOff(ctx context.Context) step {
	if r.reported != nil {
		r.onError(ctx, r.reported)
	} else {
		r.LogFailure(r.failure)
	}
	if r.again == stepBegin {
		r.close()
	} else {
		ctx = r.round
	}
	delay := max(r.backoff.next(), suggestedDelay(r.failure))
	r.enterBackOff(delay)
	timer := r.config.Clock.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C():
		return r.again
	case <-ctx.Done():
		return r.interrupted(ctx)
	}
}

// interrupted returns the next state when the context of a round has ended: the cause may be a failed resync.
func (r *running) interrupted(ctx context.Context) step {
	if err, ok := context.Cause(ctx).(*resyncError); ok {
		return r.fail(err, stepBegin)
	}
	return stepStop
}

// startResync resyncs the store periodically until the round ends.
func (r *running) startResync() {
	if r.config.ResyncPeriod <= 0 {
		return
	}
	ctx, end := r.round, r.endRound
	r.resyncs.Go(func() {
		for {
			timer := r.config.Clock.NewTimer(r.config.ResyncPeriod)
			select {
			case <-ctx.Done():
				timer.Stop()
				return
			case <-timer.C():
			}
			if r.config.ShouldResync != nil && !r.config.ShouldResync() {
				continue
			}
			if err := r.config.Sink.Resync(); err != nil {
				end(&resyncError{err})
				return
			}
		}
	})
}

// resyncError ends a round.
type resyncError struct{ err error }

func (e *resyncError) Error() string { return "cannot resync: " + e.err.Error() }

func (e *resyncError) Unwrap() error { return e.err }

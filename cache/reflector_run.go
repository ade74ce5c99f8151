package cache

import (
	"context"
	"sync"
	"time"
)

// step is a state of a reflector. Each has an arm in advance, which does what the state is for and says which comes next.
type step int

const (
	stepBegin   step = iota // → stream, list
	stepStream              // → watch, list, begin (at another version), back off
	stepList                // → watch, back off
	stepWatch               // → begin (to look again at what could not be read), back off
	stepBackOff             // → whatever is tried again: begin, watch
	stepStop                // the context has ended
)

// running is a reflector while it runs.
type running struct {
	*Reflector

	// left is the open watch that stepStream leaves to stepWatch.
	left *watching
	// cut tells that the last watch was cut.
	cut bool

	// What stepBackOff is for: failure is what happened, again what to do after the wait, and told the error that the
	// watch error handler hears of, or nil.
	failure error
	again   step
	told    error

	internal RetryWithDeadline // of errors inside the server

	// round lasts from one list to the next. It ends early if a resync fails.
	round    context.Context
	endRound context.CancelCauseFunc
	resyncs  sync.WaitGroup
}

func newRunning(r *Reflector) *running { return &running{Reflector: r} }

// advance does what a state is for, and returns the next.
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
	r.told = nil
	r.round, r.endRound = context.WithCancelCause(ctx)
	r.internal = newRetryWithDeadline(r.MaxInternalErrorRetryDuration, time.Minute, isInternalError, r.clock)
	if r.resume != "" {
		r.resumed(r.resume)
		r.resume = ""
		return stepWatch
	}
	if r.refusing || !r.fallback.mayWatchList(r.clock.Now()) {
		return stepList
	}
	return stepStream
}

// close ends a round, and waits for what belongs to it.
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

// roundEnds tells whether nothing can be done in this round any more.
func (r *running) roundEnds(s step) bool { return s == stepBackOff && r.again == stepBegin }

// fail goes to stepBackOff, and from there to again. The watch error handler is not told.
func (r *running) fail(err error, again step) step {
	r.failure, r.again, r.told = err, again, nil
	r.failing(err)
	return stepBackOff
}

// giveUp is fail for errors that end a round and of which the handler is told.
func (r *running) giveUp(err error) step {
	r.fail(err, stepBegin)
	r.told = err
	return stepBackOff
}

// backOff waits. A wait between two rounds belongs to neither, so that no resync goes on meanwhile.
func (r *running) backOff(ctx context.Context) step {
	if r.told != nil {
		r.onError(ctx, r.Reflector, r.told)
	} else {
		r.logFailure(r.failure)
	}
	if r.again == stepBegin {
		r.close()
	} else {
		ctx = r.round
	}
	delay := max(r.backoff.next(), suggestedDelay(r.failure))
	r.enterBackOff(delay)
	timer := r.clock.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C():
		return r.again
	case <-ctx.Done():
		return r.interrupted(ctx)
	}
}

// interrupted says where to go when the context of a round has ended: it may have been a resync that failed.
func (r *running) interrupted(ctx context.Context) step {
	if err, ok := context.Cause(ctx).(*resyncError); ok {
		return r.fail(err, stepBegin)
	}
	return stepStop
}

// startResync has the store resync now and then until the round ends.
func (r *running) startResync() {
	if r.resync <= 0 {
		return
	}
	ctx, end := r.round, r.endRound
	r.resyncs.Go(func() {
		for {
			timer := r.clock.NewTimer(r.resync)
			select {
			case <-ctx.Done():
				timer.Stop()
				return
			case <-timer.C():
			}
			if r.ShouldResync != nil && !r.ShouldResync() {
				continue
			}
			if err := r.store.Resync(); err != nil {
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

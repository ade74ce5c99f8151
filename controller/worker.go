package controller

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"vedette.dev/controller/internal/flight"
	"vedette.dev/fence"
	"vedette.dev/internal/activity"
)

// worker is the state of one worker goroutine.
type worker[K comparable] struct {
	number int // from 1
	now    atomic.Pointer[work[K]]
	track  *flight.Track
}

// work is a running reconcile.
type work[K comparable] struct {
	key    K
	worker int
	since  time.Time
	waits  activity.Note
}

// ErrStopTimeout is wrapped by the error of a Run that returned although a reconcile or a source is still running.
// Another replica must not do the work yet: exit, and let the lease expire.
var ErrStopTimeout = errors.New("controller: workers still running after stop timeout")

// abandonAfter is how long Run waits for a reconcile or a source to return after its context ended. With the default
// StopTimeout of 20 s this leaves 5 s of the 30 s that Kubernetes gives a pod, for the lease and for what else has to
// stop.
const abandonAfter = 5 * time.Second

// startWorkers starts the workers. wait cancels the context of running reconciles after StopTimeout, and returns when
// all workers have ended, or an error that names those that have not.
func (c *Controller[K]) startWorkers(parent context.Context) (wait func() error) {
	// Reconciles get the values of the parent context, but are cancelled later. Only the end of a leader's term cancels
	// them at once.
	ctx, cancel := fence.WithCancelCause(context.WithoutCancel(parent))
	undo := context.AfterFunc(c.aborted, func() { cancel(context.Cause(c.aborted)) })
	var workers sync.WaitGroup
	for i := range c.workers {
		workers.Go(func() { c.work(ctx, &c.workers[i]) })
	}
	ended := make(chan struct{})
	go func() {
		workers.Wait()
		close(ended)
	}()
	return func() error {
		defer undo()
		defer cancel(nil)
		if c.config.StopTimeout > 0 && within(c.config.StopTimeout, ended, c.aborted.Done()) {
			return nil
		}
		if c.aborted.Err() == nil {
			cancel(errStopped)
		}
		cancel(context.Cause(c.aborted))
		if within(abandonAfter, ended, nil) {
			return nil
		}
		return fmt.Errorf("%w: controller %s: %s", ErrStopTimeout, c.Name(), c.stillRunning())
	}
}

// errStopped is the cause of contexts that are cancelled after StopTimeout.
var errStopped = errors.New("the controller was stopped and StopTimeout has passed")

// within reports whether done is closed within limit, and before cut is.
func within(limit time.Duration, done, cut <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
	case <-cut:
	}
	return false
}

// stillRunning names the oldest reconcile that has not returned.
func (c *Controller[K]) stillRunning() string {
	busy := c.busy()
	if len(busy) == 0 {
		return "a worker has not returned"
	}
	return fmt.Sprintf("%s not returned %v after the context ended, the oldest for key %v since %s",
		plural(len(busy), "reconcile"), abandonAfter, busy[0].key, busy[0].since.Format(time.RFC3339))
}

// busy returns the running reconciles, oldest first.
func (c *Controller[K]) busy() []*work[K] {
	var all []*work[K]
	for i := range c.workers {
		if w := c.workers[i].now.Load(); w != nil {
			all = append(all, w)
			for j := len(all) - 1; j > 0 && w.since.Before(all[j-1].since); j-- {
				all[j], all[j-1] = all[j-1], w
			}
		}
	}
	return all
}

// work is the loop of a worker. Keys that are still queued when the controller stops are marked done without a
// reconcile.
func (c *Controller[K]) work(ctx context.Context, w *worker[K]) {
	// If a worker ends too early, the controller stops: otherwise the remaining workers would silently be slower.
	defer func() {
		if c.runs() {
			c.fail(fmt.Errorf("controller %s: a worker ended unexpectedly: the queue was shut down, or a reconcile called runtime.Goexit", c.Name()))
		}
	}()
	for {
		key, shutdown := c.queue.Get()
		if shutdown {
			return
		}
		if c.runs() && ctx.Err() == nil {
			c.reconcile(ctx, w, key)
		} else {
			c.queue.Done(key)
		}
	}
}

// runs reports whether keys should be reconciled.
func (c *Controller[K]) runs() bool {
	return Phase(c.phase.Load()) == PhaseRunning && c.aborted.Err() == nil
}

// reconcile reconciles a key once, requeues it if necessary, and marks it done.
func (c *Controller[K]) reconcile(ctx context.Context, w *worker[K], key K) {
	var notBegun error
	if c.config.Owner != nil {
		owned, done, err := c.config.Owner.BeginKey(ctx, key)
		switch {
		case errors.Is(err, ErrNotOwner):
			c.queue.Forget(key)
			c.queue.Done(key)
			return
		case err != nil:
			notBegun = err
		default:
			defer done()
			ctx = owned
		}
	}
	now := &work[K]{key: key, worker: w.number, since: time.Now()}
	w.now.Store(now)
	if c.metrics != nil {
		c.metrics.Began()
	}
	end := ending{outcome: OutcomePanic, err: errGoexit} // unless it returns
	defer func() {
		took := time.Since(now.since)
		c.settle(w.track, key, flight.Note{At: now.since.Add(took), Took: took, Event: noteOf(end.outcome)}, end)
		if c.metrics != nil {
			c.metrics.Ended(end.outcome, took)
		}
		w.now.Store(nil)
		c.queue.Done(key)
	}()
	if notBegun != nil {
		end = ending{outcome: OutcomeError, err: notBegun}
		return
	}
	end = c.call(activity.With(ctx, &now.waits), key)
}

// ending is the result of a reconcile.
type ending struct {
	outcome Outcome
	result  Result
	err     error
	stack   []byte // of a panic
}

// errGoexit is the error of a reconcile that called runtime.Goexit.
var errGoexit = errors.New("the reconcile called runtime.Goexit, as t.Fatal does")

// errTimeout is the cause of a context that ended with Config.Timeout.
var errTimeout = errors.New("reconcile timed out")

// call calls the reconciler with its timeout. It also formats the returned error, because that may panic: an error can
// be a nil pointer.
func (c *Controller[K]) call(ctx context.Context, key K) (end ending) {
	if c.config.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.config.Timeout, errTimeout)
		defer cancel()
		if fence.From(ctx) != nil { // a context with the timeout would not check the term's clock
			var end context.CancelCauseFunc
			ctx, end = fence.WithCancelCause(ctx)
			defer end(nil)
		}
	}
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		end = ending{outcome: OutcomePanic, err: fmt.Errorf("panic: %v", value), stack: debug.Stack()}
		if c.config.OnPanic == PanicFatal {
			c.log(key, end, 0)
			panic(value)
		}
	}()
	end.result, end.err = c.config.Reconcile(ctx, key)
	if end.err != nil && context.Cause(ctx) == errTimeout {
		end.err = fmt.Errorf("%w (%v): %w", errTimeout, c.config.Timeout, end.err)
	}
	if end.err != nil {
		_ = end.err.Error()
	}
	end.outcome = outcomeOf(end.result, end.err)
	return end
}

func outcomeOf(result Result, err error) Outcome {
	switch {
	case err == nil && result.RequeueAfter == 0:
		return OutcomeSuccess
	case err == nil:
		return OutcomeRequeueAfter
	case IsTerminal(err):
		return OutcomeTerminal
	case errors.Is(err, errTimeout):
		return OutcomeTimeout
	default:
		return OutcomeError
	}
}

// settle requeues or forgets the key, depending on the outcome.
func (c *Controller[K]) settle(track *flight.Track, key K, n flight.Note, end ending) {
	c.counted.reconciles.Add(1)
	// Before the key can be taken again.
	c.note(track, key, n)
	if end.outcome.Failed() {
		c.failed(key, n, end)
		return
	}
	switch after := end.result.RequeueAfter; {
	case after < 0:
		c.queue.AddRateLimited(key)
	case after > 0:
		c.queue.Forget(key)
		c.queue.AddAfter(key, after)
	default:
		c.queue.Forget(key)
	}
}

func (c *Controller[K]) failed(key K, n flight.Note, end ending) {
	c.counted.failures.Add(1)
	if end.outcome == OutcomePanic {
		c.counted.panics.Add(1)
	}
	c.noteFailure(key, n, end.err)
	if end.outcome == OutcomeTerminal {
		c.queue.Forget(key)
	} else {
		c.queue.AddRateLimited(key)
	}
	c.log(key, end, n.Took)
}

// log logs a failed reconcile.
func (c *Controller[K]) log(key K, end ending, took time.Duration) {
	attrs := []any{"key", fmt.Sprint(key), "outcome", end.outcome.String(), "took", took, "err", end.err}
	if end.stack != nil {
		attrs = append(attrs, "stack", string(end.stack))
	}
	c.config.Logger.Error("Reconcile failed", attrs...)
}

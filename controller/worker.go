package controller

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"vedette.dev/internal/activity"
	"vedette.dev/internal/flight"
)

// worker is one of the goroutines that reconcile, as others see it.
type worker[K comparable] struct {
	now atomic.Pointer[work[K]]
}

// work is a reconcile that is under way.
type work[K comparable] struct {
	key   K
	since time.Time
	waits activity.Note
}

// abandonAfter is how long a reconcile may go on whose context has ended because the controller stops.
const abandonAfter = 10 * time.Second

// startWorkers starts the workers. Wait ends the context of those that are under way when their time is over, and returns when
// all have ended, or an error that names those that do not.
func (c *Controller[K]) startWorkers(parent context.Context) (wait func() error) {
	// What the parent carries is for the reconciler, but its end is not, or not yet.
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
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
		if c.config.StopTimeout > 0 && c.within(c.config.StopTimeout, ended) {
			return nil
		}
		if c.aborted.Err() == nil {
			cancel(errStopped)
		}
		cancel(context.Cause(c.aborted))
		if within(abandonAfter, ended) {
			return nil
		}
		return fmt.Errorf("controller %s: %s", c.Name(), c.leftBehind())
	}
}

// errStopped is the cause of a context whose time was over after the stop.
var errStopped = errors.New("the controller has been told to stop, and does not wait any longer")

// within tells whether something is done in time. An Abort ends the time.
func (c *Controller[K]) within(limit time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
	case <-c.aborted.Done():
	}
	return false
}

func within(limit time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// leftBehind names a reconcile that does not end.
func (c *Controller[K]) leftBehind() string {
	busy := c.busy()
	if len(busy) == 0 {
		return "a worker did not end"
	}
	return fmt.Sprintf("%d reconciles did not end %v after their context had, and are left behind, among them that of %v, which began at %s",
		len(busy), abandonAfter, busy[0].key, busy[0].since.Format(time.RFC3339))
}

// busy is what the workers do, the oldest first.
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

// work is a worker. What is still queued when the controller stops is given back untouched.
func (c *Controller[K]) work(ctx context.Context, w *worker[K]) {
	for {
		key, shutdown := c.queue.Get()
		if shutdown {
			return
		}
		if Phase(c.phase.Load()) == PhaseRunning {
			c.reconcile(ctx, w, key)
		}
		c.queue.Done(key)
	}
}

// reconcile reconciles a key once, and sees to what is to become of it.
func (c *Controller[K]) reconcile(ctx context.Context, w *worker[K], key K) {
	now := &work[K]{key: key, since: time.Now()}
	w.now.Store(now)
	if c.metrics != nil {
		c.metrics.Began()
	}
	result, err := c.call(activity.With(ctx, &now.waits), key)
	took := time.Since(now.since)
	outcome := outcomeOf(result, err)
	c.settle(key, now.since.Add(took), took, outcome, result, err)
	if c.metrics != nil {
		c.metrics.Ended(outcome, took)
	}
	w.now.Store(nil)
}

// errTimeout is the cause of a context whose reconcile has taken too long.
var errTimeout = errors.New("the reconcile took longer than the time that it was given")

// errPanic is what a panic is turned into.
type errPanic struct {
	value any
	stack []byte
}

func (e *errPanic) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// call calls the reconciler, with its time limit.
func (c *Controller[K]) call(ctx context.Context, key K) (result Result, err error) {
	if c.config.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.config.Timeout, errTimeout)
		defer cancel()
	}
	if c.config.OnPanic == PanicRetry {
		defer func() {
			if value := recover(); value != nil {
				err = &errPanic{value, debug.Stack()}
			}
		}()
	}
	result, err = c.config.Reconcile(ctx, key)
	if err != nil && context.Cause(ctx) == errTimeout { //nolint:errorlint // the cause is this very value
		err = fmt.Errorf("%w (%v): %w", errTimeout, c.config.Timeout, err)
	}
	return result, err
}

func outcomeOf(result Result, err error) Outcome {
	switch {
	case err == nil && result.RequeueAfter == 0:
		return OutcomeSuccess
	case err == nil:
		return OutcomeRequeueAfter
	case errors.As(err, new(*errPanic)):
		return OutcomePanic
	case IsTerminal(err):
		return OutcomeTerminal
	case errors.Is(err, errTimeout):
		return OutcomeTimeout
	default:
		return OutcomeError
	}
}

// settle does what the outcome asks for.
func (c *Controller[K]) settle(key K, at time.Time, took time.Duration, outcome Outcome, result Result, err error) {
	c.counted.reconciles.Add(1)
	n := flight.Note{At: at, Took: took, What: noteOf(outcome)}
	if outcome.Failed() {
		c.failed(key, n, outcome, err)
		return
	}
	switch {
	case result.RequeueAfter < 0:
		c.queue.AddRateLimited(key)
	case result.RequeueAfter > 0:
		c.queue.Forget(key)
		c.queue.AddAfter(key, result.RequeueAfter)
	default:
		c.queue.Forget(key)
	}
	c.note(key, n)
}

func (c *Controller[K]) failed(key K, n flight.Note, outcome Outcome, err error) {
	c.counted.failures.Add(1)
	n.Count = uint16(min(c.queue.NumRequeues(key)+1, 1<<16-1))
	c.noteTrouble(key, n, err)
	if outcome == OutcomeTerminal {
		c.queue.Forget(key)
	} else {
		c.queue.AddRateLimited(key)
	}
	attrs := []any{"key", fmt.Sprint(key), "outcome", outcome.String(), "failures", n.Count, "took", n.Took, "err", err}
	var panicked *errPanic
	if errors.As(err, &panicked) {
		c.counted.panics.Add(1)
		attrs = append(attrs, "stack", string(panicked.stack))
	}
	c.config.Logger.Error("Reconcile failed", attrs...)
}

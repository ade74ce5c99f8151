package controller

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"vedette.dev/controller/internal/flight"
	"vedette.dev/internal/keyhash"
	"vedette.dev/workqueue"
)

// Controller reconciles keys.
//
// The path of a key: (1) a source receives an event and (2) adds the key to the queue; (3) a worker takes it from there
// and calls Reconcile; (4) depending on the result, the key is forgotten, added again after a delay, or retried after a
// backoff.
type Controller[K comparable] struct {
	config Config[K]
	queue  workqueue.TypedRateLimitingInterface[K]
	// urgent is the queue, if it supports priorities.
	urgent interface {
		AddWithOpts(o workqueue.AddOpts, items ...K)
	}
	metrics ControllerMetrics // nil before the start, and if Config.Metrics is nil
	workers []worker[K]
	// ready has one entry for each source, set when the source is ready.
	ready []atomic.Bool
	// gotReady has a buffer of one and is sent to when an entry of ready is set.
	gotReady chan struct{}

	hasher  keyhash.Hasher[K]
	records *flight.Recorder // nil if there are none
	byHand  *sourceOf[K]     // for Add

	began atomic.Int64 // when Run was called
	// aborted is cancelled by Abort.
	aborted context.Context
	abort   context.CancelCauseFunc
	// fail stops the controller with an error. It is set by Run.
	fail context.CancelCauseFunc
	// result is the error that Run returned, nil if it has not returned or returned nil.
	result  atomic.Pointer[error]
	phase   atomic.Int32
	counted counters
}

type counters struct{ reconciles, failures, panics atomic.Uint64 }

// New returns a controller that is not running yet, or an error that names the invalid field of the config.
func New[K comparable](config Config[K]) (*Controller[K], error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	if err := config.fill(); err != nil {
		return nil, fmt.Errorf("controller %s: %w", config.Name, err)
	}
	c := &Controller[K]{
		config:   config,
		queue:    config.Queue,
		workers:  make([]worker[K], config.Workers),
		ready:    make([]atomic.Bool, len(config.Sources)),
		gotReady: make(chan struct{}, 1),
		hasher:   keyhash.New[K]("controller: key"),
	}
	c.aborted, c.abort = context.WithCancelCause(context.Background())
	c.urgent, _ = c.queue.(interface {
		AddWithOpts(o workqueue.AddOpts, items ...K)
	})
	if config.Records > 0 {
		c.records = flight.New(c.budget)
	}
	c.byHand = &sourceOf[K]{c, noSource, c.newTrack()}
	for i := range c.workers {
		c.workers[i].number, c.workers[i].track = i+1, c.newTrack()
	}
	return c, nil
}

// Name returns the name of the controller.
func (c *Controller[K]) Name() string { return c.config.Name }

// Run runs the sources, and starts the workers when all sources are ready. It returns when the context has ended and
// all running reconciles have returned; no goroutine of the controller is left then. Keys that are still queued are
// dropped; the next start enqueues them again.
//
// It returns an error if a source fails or is not ready in time. If a reconcile or a source has not returned five
// seconds after its context ended, Run returns an [ErrStopTimeout] and leaves it running. A controller can be run only
// once.
func (c *Controller[K]) Run(ctx context.Context) (err error) {
	if !c.began.CompareAndSwap(0, time.Now().UnixNano()) {
		return fmt.Errorf("controller %s has already been run; create a new one", c.Name())
	}
	defer func() {
		if err != nil {
			c.result.Store(&err)
		}
		c.phase.Store(int32(PhaseStopped))
	}()
	c.phase.Store(int32(PhaseSyncing))
	if c.config.Metrics != nil {
		c.metrics = c.config.Metrics.NewControllerMetrics(c.Name(), c.config.Workers)
	}
	if c.metrics != nil {
		defer c.metrics.Close()
	}
	running, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	c.fail = fail
	if c.aborted.Err() != nil {
		fail(context.Cause(c.aborted))
	}
	defer context.AfterFunc(c.aborted, func() { fail(context.Cause(c.aborted)) })()
	waitForSources := c.startSources(running, fail)
	var waitForWorkers func() error
	if c.waitUntilReady(running, fail) {
		c.phase.Store(int32(PhaseRunning))
		c.config.Logger.Info("Controller started", "workers", c.config.Workers)
		waitForWorkers = c.startWorkers(ctx)
		<-running.Done()
	}
	stopped := time.Now()
	c.phase.Store(int32(PhaseStopping))
	c.queue.ShutDown()
	if waitForWorkers != nil {
		err = waitForWorkers()
	}
	err = errors.Join(err, waitForSources(stopped))
	c.config.Logger.Info("Controller stopped")
	switch {
	case c.aborted.Err() != nil:
		err = errors.Join(context.Cause(c.aborted), err)
	case ctx.Err() == nil:
		err = errors.Join(context.Cause(running), err)
	}
	return err
}

// startSources runs each source in a goroutine. An error of a source cancels the context with fail. wait waits for the
// sources until abandonAfter has passed since their context ended.
func (c *Controller[K]) startSources(ctx context.Context, fail context.CancelCauseFunc) (wait func(stopped time.Time) error) {
	ended := make([]chan struct{}, len(c.config.Sources))
	for i, s := range c.config.Sources {
		ended[i] = make(chan struct{})
		go func() {
			defer close(ended[i])
			err := fmt.Errorf("source %s called runtime.Goexit, as t.Fatal does", s) // unless it returns
			defer func() {
				switch {
				case ctx.Err() != nil:
				case err == nil:
					fail(fmt.Errorf("controller %s: source %s returned before the controller was stopped", c.Name(), s))
				default:
					fail(fmt.Errorf("controller %s: %w", c.Name(), err))
				}
			}()
			err = c.runSource(ctx, i, s)
		}()
	}
	return func(stopped time.Time) error {
		for i, s := range c.config.Sources {
			if !within(time.Until(stopped.Add(abandonAfter)), ended[i], nil) {
				return fmt.Errorf("%w: controller %s: source %s has not returned %v after its context ended", ErrStopTimeout, c.Name(), s, abandonAfter)
			}
		}
		return nil
	}
}

// runSource runs a source, and returns a panic as an error.
func (c *Controller[K]) runSource(ctx context.Context, i int, s Source[K]) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("source %s panicked: %v\n%s", s, value, debug.Stack())
		}
	}()
	return s.Run(ctx, &sourceOf[K]{c, uint8(i), c.newTrack()}, func() { c.sourceReady(i) })
}

// waitUntilReady waits for all sources and reports whether they became ready before the context or SyncTimeout ended.
func (c *Controller[K]) waitUntilReady(ctx context.Context, fail context.CancelCauseFunc) bool {
	if c.config.SyncTimeout > 0 {
		timer := time.AfterFunc(c.config.SyncTimeout, func() {
			if i, all := c.firstNotReady(); !all {
				fail(c.notReady(i))
			}
		})
		defer timer.Stop()
	}
	for {
		if ctx.Err() != nil {
			return false
		}
		if _, all := c.firstNotReady(); all {
			return true
		}
		select {
		case <-c.gotReady:
		case <-ctx.Done():
		}
	}
}

// sourceReady marks a source as ready.
func (c *Controller[K]) sourceReady(i int) {
	c.ready[i].Store(true)
	select {
	case c.gotReady <- struct{}{}:
	default: // a notification is pending already
	}
}

func (c *Controller[K]) firstNotReady() (i int, all bool) {
	for i := range c.ready {
		if !c.ready[i].Load() {
			return i, false
		}
	}
	return 0, true
}

// notReady returns the error for a source that is not ready in time.
func (c *Controller[K]) notReady(i int) error {
	err := fmt.Errorf("controller %s: source %s was not ready within %v", c.Name(), c.config.Sources[i], c.config.SyncTimeout)
	if o, ok := c.config.Sources[i].(Observer[K]); ok {
		var none K
		seen := o.Observe(none)
		if cause := seen.Informer.Err(); cause != nil {
			return fmt.Errorf("%w: %w", err, cause)
		}
		if h := seen.Handler; h.Waiting > 0 {
			return fmt.Errorf("%w: %s", err, handlerDelay(h))
		}
	}
	return err
}

// Abort stops the controller as the end of Run's context does, but does not give running reconciles time to return:
// their context is cancelled at once, with cause, which Run returns. Use it when another process may already do the
// work.
func (c *Controller[K]) Abort(cause error) {
	if cause == nil {
		cause = errors.New("no cause given")
	}
	c.abort(fmt.Errorf("controller %s was aborted: %w", c.Name(), cause))
}

// Add enqueues a key, as a source would.
func (c *Controller[K]) Add(key K) { c.byHand.Add(key, Sent) }

// noSource is the source number in records of keys that were added with Add.
const noSource = maxSources

// initialPriority is the priority of objects of the initial list: current events go first.
var initialPriority = -1

func (c *Controller[K]) add(key K, reason Reason) {
	if reason == Initial && c.urgent != nil {
		c.urgent.AddWithOpts(workqueue.AddOpts{Priority: &initialPriority}, key)
		return
	}
	c.queue.Add(key)
}

package cache

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
)

// Controller lists and watches, and processes what comes.
type Controller interface {
	// RunWithContext runs until the context ends. When it returns, nothing of the controller runs any more.
	RunWithContext(ctx context.Context)
	// Run is RunWithContext until the channel is closed.
	Run(stopCh <-chan struct{})
	// HasSynced reports whether the first list was processed.
	HasSynced() bool
	// HasSyncedChecker returns a DoneChecker whose Done channel is closed when HasSynced becomes true.
	HasSyncedChecker() DoneChecker
	// LastSyncResourceVersion returns the last resourceVersion that was received from the server.
	LastSyncResourceVersion() string
}

// Config is what a Controller is made of: a source, a queue, and what is done with what comes out of the queue.
type Config struct {
	// Queue takes what comes from the ListerWatcher.
	Queue
	ListerWatcher

	// Process is called with what Pop returns: Deltas, from a DeltaFIFO. ProcessBatch, if it is set and the Queue knows batches,
	// is called with deltas of different objects.
	Process      ProcessFunc
	ProcessBatch ProcessBatchFunc

	// ObjectType is an example of what to expect, ObjectDescription what logs call it.
	ObjectType        runtime.Object
	ObjectDescription string

	// FullResyncPeriod is how often ShouldResync is asked whether to hand out everything again. Zero means never.
	FullResyncPeriod time.Duration
	// MinWatchTimeout is the least time that the server is asked to keep a watch open.
	MinWatchTimeout time.Duration
	// ShouldResync is asked at each period. Nil means yes.
	ShouldResync ShouldResyncFunc

	// RetryOnError has what Process failed on put back into the Queue, if that has AddIfNotPresent.
	RetryOnError bool

	// WatchErrorHandler or WatchErrorHandlerWithContext, which comes first, is called with each error that ends a list or
	// watch.
	WatchErrorHandler            WatchErrorHandler
	WatchErrorHandlerWithContext WatchErrorHandlerWithContext

	// WatchListPageSize is the size of pages of lists. Zero means that the reflector chooses.
	WatchListPageSize int64
}

// ShouldResyncFunc reports whether everything should be handed out again.
type ShouldResyncFunc func() bool

// ProcessFunc processes what came out of a queue.
type ProcessFunc func(obj interface{}, isInInitialList bool) error

// New returns a Controller.
func New(c *Config) Controller { return &controller{config: *c} }

type controller struct {
	config    Config
	mu        sync.Mutex
	reflector *Reflector
}

func (c *controller) Run(stopCh <-chan struct{}) { c.RunWithContext(wait.ContextForChannel(stopCh)) }

func (c *controller) RunWithContext(ctx context.Context) {
	r := newReflector(c.config.ListerWatcher, c.config.ObjectType, c.config.Queue, ReflectorOptions{
		TypeDescription: c.config.ObjectDescription,
		ResyncPeriod:    c.config.FullResyncPeriod,
		MinWatchTimeout: c.config.MinWatchTimeout,
	}, errorHandler(c.config.WatchErrorHandlerWithContext, c.config.WatchErrorHandler))
	r.ShouldResync = c.config.ShouldResync
	r.WatchListPageSize = c.config.WatchListPageSize
	c.mu.Lock()
	c.reflector = r
	c.mu.Unlock()

	// The queue is closed at once, not when the reflector has ended, which may be waiting for room in it.
	release := context.AfterFunc(ctx, c.config.Close)
	defer release()
	var reflecting sync.WaitGroup
	defer reflecting.Wait()
	reflecting.Go(func() { r.RunWithContext(ctx) })
	c.processLoop()
}

func errorHandler(withContext WatchErrorHandlerWithContext, without WatchErrorHandler) WatchErrorHandlerWithContext {
	switch {
	case withContext != nil:
		return withContext
	case without != nil:
		return func(_ context.Context, r *Reflector, err error) { without(r, err) }
	default:
		return nil
	}
}

// processLoop processes what the queue hands out until it is closed and empty. An error of Process is the business of
// Process, unless it is to be retried.
func (c *controller) processLoop() {
	process := PopProcessFunc(c.config.Process)
	batches, ok := c.config.Queue.(QueueWithBatch)
	for {
		var err error
		if ok && c.config.ProcessBatch != nil {
			err = batches.PopBatch(c.config.ProcessBatch, process)
		} else {
			err = c.pop(process)
		}
		if errors.Is(err, ErrFIFOClosed) {
			return
		}
	}
}

func (c *controller) pop(process PopProcessFunc) error {
	obj, err := c.config.Pop(process)
	if err == nil || errors.Is(err, ErrFIFOClosed) || !c.config.RetryOnError {
		return err
	}
	if q, ok := c.config.Queue.(interface{ AddIfNotPresent(obj interface{}) error }); ok {
		return q.AddIfNotPresent(obj)
	}
	return err
}

func (c *controller) HasSynced() bool { return c.config.Queue.HasSynced() }

func (c *controller) HasSyncedChecker() DoneChecker { return c.config.Queue.HasSyncedChecker() }

func (c *controller) LastSyncResourceVersion() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reflector == nil {
		return ""
	}
	return c.reflector.LastSyncResourceVersion()
}

// State tells what the controller is doing.
func (c *controller) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reflector == nil {
		return State{}
	}
	s := c.reflector.State()
	s.Synced = c.HasSynced()
	return s
}

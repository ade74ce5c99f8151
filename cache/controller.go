package cache

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
)

// Controller lists and watches, and processes the changes.
type Controller interface {
	// RunWithContext runs until the context ends. When it returns, no goroutine of the controller is left.
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

// Config configures a [Controller]: a source, a queue, and the processing.
type Config struct {
	// Queue receives the changes from the ListerWatcher.
	Queue
	ListerWatcher

	// Process is called with what Pop returns: Deltas, from a DeltaFIFO. ProcessBatch, if it is set and the Queue
	// supports batches, is called with deltas of different objects.
	Process      ProcessFunc
	ProcessBatch ProcessBatchFunc

	// ObjectType is an example of the objects, ObjectDescription their name in logs.
	ObjectType        runtime.Object
	ObjectDescription string

	// FullResyncPeriod is how often ShouldResync is called, to decide on a resync. Zero means never.
	FullResyncPeriod time.Duration
	// MinWatchTimeout is the minimum timeout of a watch that is sent to the server.
	MinWatchTimeout time.Duration
	// ShouldResync is called at each period. Nil means true.
	ShouldResync ShouldResyncFunc

	// RetryOnError requeues objects for which Process failed, if the Queue has AddIfNotPresent.
	RetryOnError bool

	// WatchErrorHandler or WatchErrorHandlerWithContext, which comes first, is called with each error that ends a list or
	// watch.
	WatchErrorHandler            WatchErrorHandler
	WatchErrorHandlerWithContext WatchErrorHandlerWithContext

	// WatchListPageSize is the size of pages of lists. Zero means that the reflector chooses.
	WatchListPageSize int64
}

// ShouldResyncFunc reports whether a resync should be done.
type ShouldResyncFunc func() bool

// ProcessFunc processes an item of a queue.
type ProcessFunc func(obj interface{}, isInInitialList bool) error

// New returns a [Controller].
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

	// Close the queue at once, not after the reflector has ended, which may be waiting for room in it.
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

// processLoop processes the items of the queue until it is closed and empty. Errors of Process are ignored, unless they
// are retried.
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

// State returns what the controller is doing.
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

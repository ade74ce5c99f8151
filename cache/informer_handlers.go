package cache

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"vedette.dev/internal/engine"
	"vedette.dev/internal/fanout"
	"vedette.dev/internal/mutex"
)

// AddPartitionHandler adds a handler that is called with the partition of each change: of one partition, or of all if that is empty. It is
// called for one partition at a time, if oneAtATime is set.
func (s *informer) AddPartitionHandler(handler engine.PartitionHandler, options HandlerOptions, partition string, oneAtATime bool) (ResourceEventHandlerRegistration, error) {
	if handler == nil {
		return nil, errors.New("handler is nil")
	}
	h := &partitionHandler{handler: handler, oneAtATime: oneAtATime, calls: map[string]*calls{}}
	return s.register(h, options, partition)
}

// partitionHandler calls an engine.PartitionHandler.
type partitionHandler struct {
	ResourceEventHandlerFuncs
	handler    engine.PartitionHandler
	oneAtATime bool

	mu sync.Mutex
	// calls are the running and waiting calls, by partition: listeners of several partitions deliver notifications of
	// keys that have moved. With oneAtATime, all are under an empty name.
	calls map[string]*calls
}

// calls are calls of a handler that must not run concurrently.
type calls struct {
	mu mutex.Mutex
	n  int // number of running and waiting calls
}

// begin waits until no other call for a partition is running, and returns a function that ends the call.
func (h *partitionHandler) begin(partition string) (end func()) {
	if h.oneAtATime {
		partition = ""
	}
	h.mu.Lock()
	c := h.calls[partition]
	if c == nil {
		c = &calls{mu: mutex.New()}
		h.calls[partition] = c
	}
	c.n++
	h.mu.Unlock()
	c.mu.Lock()
	return func() {
		c.mu.Unlock()
		h.mu.Lock()
		defer h.mu.Unlock()
		if c.n--; c.n == 0 {
			delete(h.calls, partition)
		}
	}
}

func (h *partitionHandler) handlerType() string { return fmt.Sprintf("%T", h.handler) }

// handle implements notificationHandler.
func (h *partitionHandler) handle(n *fanout.Notification) {
	id := n.Partition.ID
	defer h.begin(id)()
	switch n.Type {
	case fanout.Added:
		h.handler.OnAdd(id, decoded(n.New), n.Initial)
	case fanout.Updated:
		h.handler.OnUpdate(id, decoded(n.Old), decoded(n.New))
	case fanout.Deleted:
		h.handler.OnDelete(id, decoded(n.Old))
	case fanout.Recreated:
		h.handler.OnDelete(id, decoded(n.Old))
		h.handler.OnAdd(id, decoded(n.New), false)
	case fanout.Lost:
		keys, _ := n.Old.([]string)
		h.handler.OnLost(id, keys)
	}
}

// serialHandler is a handler without partitions, which is called by one goroutine at a time.
type serialHandler struct {
	ResourceEventHandler
	call func(*fanout.Notification) // calls the ResourceEventHandler
	mu   mutex.Mutex
}

func (h *serialHandler) handlerType() string { return fmt.Sprintf("%T", h.ResourceEventHandler) }

// handle implements notificationHandler.
func (h *serialHandler) handle(n *fanout.Notification) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.call(n)
}

// AddEventHandler adds a handler for all partitions. It is called by one goroutine at a time.
func (s *informer) AddEventHandler(handler ResourceEventHandler) (ResourceEventHandlerRegistration, error) {
	return s.AddEventHandlerWithOptions(handler, HandlerOptions{})
}

// AddEventHandlerWithResyncPeriod adds a handler with a resync period of its own.
func (s *informer) AddEventHandlerWithResyncPeriod(handler ResourceEventHandler, resyncPeriod time.Duration) (ResourceEventHandlerRegistration, error) {
	return s.AddEventHandlerWithOptions(handler, HandlerOptions{ResyncPeriod: &resyncPeriod})
}

// AddEventHandlerWithOptions adds a handler with options.
func (s *informer) AddEventHandlerWithOptions(handler ResourceEventHandler, options HandlerOptions) (ResourceEventHandlerRegistration, error) {
	if handler == nil {
		return nil, errors.New("handler is nil")
	}
	if s.engine.IsDivided() {
		handler = &serialHandler{handler, callOf(handler), mutex.New()}
	}
	return s.register(handler, options, "")
}

// registration is a handler of an informer.
type registration struct{ *engine.Registration }

func (s *informer) register(h ResourceEventHandler, options HandlerOptions, partition string) (ResourceEventHandlerRegistration, error) {
	handler := engine.Handler{Call: callOf(h), Name: func() string { return handlerType(h) }}
	r, err := s.engine.AddHandler(handler, engine.HandlerOptions{
		Logger:       options.Logger,
		ResyncPeriod: options.ResyncPeriod,
		MaxWaiting:   options.MaxWaiting,
		OnPanic:      panicPolicy(options.OnPanic),
		Partition:    partition,
	})
	if err != nil {
		return nil, err
	}
	return registration{r}, nil
}

// RemoveEventHandler removes a handler, which is not called any more, except for a running call.
func (s *informer) RemoveEventHandler(handle ResourceEventHandlerRegistration) error {
	r, ok := handle.(registration)
	if !ok {
		return fmt.Errorf("invalid key type %T: not a handle of an informer of this package", handle)
	}
	s.engine.RemoveHandler(r.Registration)
	return nil
}

// HasSynced reports whether the informer has synced and the handler has been called for every object of the initial
// list.
func (r registration) HasSynced() bool { return IsDone(r) }

// HasSyncedChecker returns a DoneChecker whose channel is closed when HasSynced becomes true.
func (r registration) HasSyncedChecker() DoneChecker { return r }

// Name implements DoneChecker.
func (r registration) Name() string { return "handler " + r.Registration.Name() }

// ShutdownChan is closed when the handler has been called for the last time.
func (r registration) ShutdownChan() <-chan struct{} { return r.Ended() }

// ShutDownEventHandler removes a handler and waits until it has been called for the last time. It must not be called by
// that handler.
func ShutDownEventHandler(informer SharedInformer, handle ResourceEventHandlerRegistration) error {
	ending, ok := handle.(interface{ ShutdownChan() <-chan struct{} })
	if !ok {
		return fmt.Errorf("invalid handle type %T: not a handle of an informer of this package", handle)
	}
	if err := informer.RemoveEventHandler(handle); err != nil {
		return err
	}
	<-ending.ShutdownChan()
	return nil
}

// HandlerStateOf returns the state of a handler, the zero value for a registration that is not of this package.
func HandlerStateOf(handle ResourceEventHandlerRegistration) HandlerState {
	if r, ok := handle.(registration); ok {
		return handlerState(r.State())
	}
	return HandlerState{}
}

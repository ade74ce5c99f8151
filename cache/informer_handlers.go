package cache

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"vedette.dev/internal/fanout"
	"vedette.dev/internal/turn"
)

// PartitionHandler hears of changes and of the partition that they happen in. What it is given is shared and must not be
// changed.
//
//   - It is called for several partitions at the same time, unless it asks for one at a time, but never twice at the same time for
//     one partition or for one key.
//   - An object that moves from one partition to another is updated for handlers of all partitions, in the new one. For
//     handlers of one partition it is deleted, or added.
//   - An object that moves because the partitions changed has not changed itself: nothing is told of it to handlers of all.
type PartitionHandler interface {
	OnAdd(partition string, obj any, isInInitialList bool)
	OnUpdate(partition string, oldObj, newObj any)
	OnDelete(partition string, obj any)
	// OnLost is called when a partition was removed, with the keys of what was in it and is in no other. They need not be
	// deleted: they are just not looked at any more. It is called more than once if keys have moved before.
	OnLost(partition string, keys []string)
}

// PartitionHandlerOptions configures a PartitionHandler. The zero value works.
type PartitionHandlerOptions struct {
	HandlerOptions
	// Partition is the only one that the handler wants to hear of. Empty means all, also those to come.
	Partition string
	// OneAtATime has it called for one partition at a time.
	OneAtATime bool
}

// AddPartitionHandler adds a handler that is told of partitions.
func (s *informer) AddPartitionHandler(handler PartitionHandler, options PartitionHandlerOptions) (ResourceEventHandlerRegistration, error) {
	if handler == nil {
		return nil, errors.New("the handler is nil")
	}
	h := &partitionHandler{handler: handler, oneAtATime: options.OneAtATime, calls: map[string]*calls{}}
	return s.register(h, options.HandlerOptions, options.Partition)
}

// partitionHandler calls a PartitionHandler.
type partitionHandler struct {
	ResourceEventHandlerFuncs
	handler    PartitionHandler
	oneAtATime bool

	mu sync.Mutex
	// calls are those that run or wait, by partition: listeners of several partitions deliver notifications of keys that have
	// moved. With oneAtATime, all are under an empty name.
	calls map[string]*calls
}

// calls are those of a handler that must not run at the same time.
type calls struct {
	turn turn.Turn
	n    int // how many run or wait
}

// begin waits until no other call for a partition runs, and returns a function that ends the call.
func (h *partitionHandler) begin(partition string) (end func()) {
	if h.oneAtATime {
		partition = ""
	}
	h.mu.Lock()
	c := h.calls[partition]
	if c == nil {
		c = &calls{turn: turn.New()}
		h.calls[partition] = c
	}
	c.n++
	h.mu.Unlock()
	c.turn.Lock()
	return func() {
		c.turn.Unlock()
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
		h.handler.OnAdd(id, show(n.New), n.Initial)
	case fanout.Updated:
		h.handler.OnUpdate(id, show(n.Old), show(n.New))
	case fanout.Deleted:
		h.handler.OnDelete(id, show(n.Old))
	case fanout.Recreated:
		h.handler.OnDelete(id, show(n.Old))
		h.handler.OnAdd(id, show(n.New), false)
	case fanout.Lost:
		keys, _ := n.Old.([]string)
		h.handler.OnLost(id, keys)
	}
}

// serialHandler is a handler that knows nothing of partitions, and is called by one goroutine at a time.
type serialHandler struct {
	ResourceEventHandler
	call func(*fanout.Notification) // calls the ResourceEventHandler
	turn turn.Turn
}

func (h *serialHandler) handlerType() string { return fmt.Sprintf("%T", h.ResourceEventHandler) }

// handle implements notificationHandler.
func (h *serialHandler) handle(n *fanout.Notification) {
	h.turn.Lock()
	defer h.turn.Unlock()
	h.call(n)
}

// AddEventHandler adds a handler that hears of all partitions as if they were one, from one goroutine at a time.
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
		return nil, errors.New("the handler is nil")
	}
	if s.only == nil {
		handler = &serialHandler{handler, callOf(handler), turn.New()}
	}
	return s.register(handler, options, "")
}

// registration is a handler with a listener in each partition that it hears of.
type registration struct {
	informer *informer
	number   int
	handler  ResourceEventHandler
	call     func(*fanout.Notification) // calls the handler
	options  HandlerOptions
	only     string

	// listeners belongs to applyMu.
	listeners map[*partition]*fanout.Listener

	mu     sync.Mutex
	behind map[*fanout.Listener]struct{} // those that have not synced
	synced chan struct{}
	alive  int  // listeners that have not ended
	last   bool // no more listeners are added
	ended  chan struct{}
}

func (s *informer) register(h ResourceEventHandler, options HandlerOptions, only string) (ResourceEventHandlerRegistration, error) {
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	if s.isEnding() {
		return nil, fmt.Errorf("handler %T was not added to the informer of %s because it has stopped already", h, s.describe())
	}
	if only != "" && s.partition(only) == nil {
		return nil, fmt.Errorf("handler %T is for partition %q, which the informer of %s has not", h, only, s.describe())
	}
	s.added++
	r := &registration{
		informer: s, number: s.added, handler: h, call: callOf(h), options: options, only: only,
		listeners: map[*partition]*fanout.Listener{}, synced: make(chan struct{}), ended: make(chan struct{}),
		behind: map[*fanout.Listener]struct{}{},
	}
	for _, p := range s.routes.Load().partitions {
		r.join(p)
	}
	if only == "" {
		for _, p := range s.left { // whose logs may have notifications of keys of others
			r.join(p)
		}
	}
	s.registrations = append(s.registrations, r)
	r.noteSynced(nil)
	return r, nil
}

// join adds a listener in a partition, under applyMu.
func (r *registration) join(p *partition) {
	s := r.informer
	if r.only != "" && (r.only != p.config.ID || len(r.listeners) > 0) {
		return // it goes on with the log that it reads
	}
	l := r.newListener()
	r.mu.Lock()
	r.behind[l] = struct{}{}
	r.mu.Unlock()
	log, begin := p.shared, func() fanout.Replay { return s.replay(p) }
	if r.only != "" {
		log, begin = p.own, func() fanout.Replay { return &replay{view: s.objectsOf(p), partition: p.label} }
	}
	r.noteAlive(1) // before it can end
	if !log.Add(l, begin) {
		r.noteAlive(-1)
		return
	}
	r.listeners[p] = l
}

// newListener returns a listener that calls the handler.
func (r *registration) newListener() *fanout.Listener {
	config := fanout.Config{
		Call:         r.call,
		Name:         func() string { return handlerType(r.handler) },
		Number:       r.number,
		MaxWaiting:   r.options.MaxWaiting,
		OnPanic:      panicPolicy(r.options.OnPanic),
		ResyncPeriod: r.informer.options.ResyncPeriod,
		Logger:       r.informer.log(),
		OnEnded:      func() { r.noteAlive(-1) },
	}
	if r.options.ResyncPeriod != nil {
		config.ResyncPeriod = *r.options.ResyncPeriod
	}
	if r.options.Logger != nil {
		config.Logger = *r.options.Logger
	}
	var l *fanout.Listener
	config.OnSynced = func() { r.noteSynced(l) }
	l = fanout.NewListener(config)
	return l
}

// noteAlive counts listeners. When the informer ends, no more are added.
func (r *registration) noteAlive(more int) {
	ending := r.informer.isEnding()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.alive += more
	r.last = r.last || ending
	r.noteEnded()
}

// noteLast is called when no more listeners are added: the handler was removed, or the informer has ended.
func (r *registration) noteLast() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = true
	r.noteEnded()
}

// noteEnded closes ended if the handler is not called any more. In an informer that is not divided it has one listener, which may
// also end because the handler has ended its goroutine.
func (r *registration) noteEnded() {
	if r.alive > 0 || !r.last && r.informer.only == nil {
		return
	}
	select {
	case <-r.ended:
	default:
		close(r.ended)
	}
}

// part takes leave of a partition that is gone, under applyMu. A handler of one partition goes on, since there may be another of its
// ID.
func (r *registration) part(p *partition) {
	if l := r.listeners[p]; l != nil && r.only == "" {
		delete(r.listeners, p)
		r.noteSynced(l)
	}
}

// noteSynced is called when a listener has synced or is gone, and when the informer has synced.
func (r *registration) noteSynced(l *fanout.Listener) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.behind, l)
	// Who hears of one partition need not wait for the others.
	if len(r.behind) == 0 && (r.only != "" || r.informer.HasSynced()) && !IsDone(r) {
		close(r.synced)
	}
}

// RemoveEventHandler lets a handler hear nothing more but what it is hearing now.
func (s *informer) RemoveEventHandler(handle ResourceEventHandlerRegistration) error {
	r, ok := handle.(*registration)
	if !ok {
		return fmt.Errorf("invalid key type %T: it is no handle of an informer of this package", handle)
	}
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	if !slices.Contains(s.registrations, r) {
		return nil // it was removed before, or is that of another informer
	}
	s.registrations = slices.DeleteFunc(s.registrations, func(other *registration) bool { return other == r })
	for p, l := range r.listeners {
		p.shared.Remove(l)
		p.own.Remove(l)
	}
	if r.only != "" {
		s.dropOwn(r.only)
	}
	r.noteLast()
	return nil
}

// HasSynced tells whether the informer has synced and the handler has dealt with all that was there then.
func (r *registration) HasSynced() bool { return IsDone(r) }

// HasSyncedChecker is HasSynced to wait for.
func (r *registration) HasSyncedChecker() DoneChecker { return r }

// Name implements DoneChecker.
func (r *registration) Name() string {
	return "handler " + handlerType(r.handler)
}

// Done implements DoneChecker.
func (r *registration) Done() <-chan struct{} { return r.synced }

// ShutdownChan is closed when the handler has been called for the last time.
func (r *registration) ShutdownChan() <-chan struct{} { return r.ended }

// ShutDownEventHandler removes a handler and waits until it has been called for the last time. It must not be called by
// that handler.
func ShutDownEventHandler(informer SharedInformer, handle ResourceEventHandlerRegistration) error {
	ending, ok := handle.(interface{ ShutdownChan() <-chan struct{} })
	if !ok {
		return fmt.Errorf("invalid handle type %T: it cannot be waited for", handle)
	}
	if err := informer.RemoveEventHandler(handle); err != nil {
		return err
	}
	<-ending.ShutdownChan()
	return nil
}

// HandlerStateOf returns the state of a handler. It is the zero one for a registration that is not of this package.
func HandlerStateOf(handle ResourceEventHandlerRegistration) HandlerState {
	if r, ok := handle.(interface{ state() HandlerState }); ok {
		return r.state()
	}
	return HandlerState{}
}

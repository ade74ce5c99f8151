package cache

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"vedette.dev/internal/table"
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
	// calls are those that run or wait, by partition: keys that have moved are told of by listeners of several partitions. With
	// oneAtATime, all are under an empty name.
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

func (h *partitionHandler) take(n *notice) {
	id := n.home.config.ID
	defer h.begin(id)()
	switch n.what {
	case added:
		h.handler.OnAdd(id, show(n.new), n.initial)
	case updated:
		h.handler.OnUpdate(id, show(n.old), show(n.new))
	case deleted:
		h.handler.OnDelete(id, show(n.old))
	case recreated:
		h.handler.OnDelete(id, show(n.old))
		h.handler.OnAdd(id, show(n.new), false)
	case lost:
		keys, _ := n.old.([]string)
		h.handler.OnLost(id, keys)
	}
}

// serialHandler is a handler that knows nothing of partitions, and hears from one goroutine at a time.
type serialHandler struct {
	ResourceEventHandler
	turn turn.Turn
}

func (h *serialHandler) handlerType() string { return fmt.Sprintf("%T", h.ResourceEventHandler) }

func (h *serialHandler) take(n *notice) {
	h.turn.Lock()
	defer h.turn.Unlock()
	n.plainCall(h.ResourceEventHandler)
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
		handler = &serialHandler{handler, turn.New()}
	}
	return s.register(handler, options, "")
}

// registration is a handler with a listener in each partition that it hears of.
type registration struct {
	informer *informer
	number   int
	handler  ResourceEventHandler
	options  HandlerOptions
	only     string

	// listeners belongs to applyMu.
	listeners map[*partition]*listener

	mu      sync.Mutex
	behind  map[*listener]struct{} // those that have not synced
	synced  chan struct{}
	alive   int // listeners that have not ended
	removed bool
	ended   chan struct{}
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
		informer: s, number: s.added, handler: h, options: options, only: only,
		listeners: map[*partition]*listener{}, synced: make(chan struct{}), ended: make(chan struct{}),
		behind: map[*listener]struct{}{},
	}
	for _, p := range s.routes.Load().partitions {
		r.join(p)
	}
	if only == "" {
		for _, p := range s.left { // through whose lanes others may be told of
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
	l := newListener(r.handler, r.options, s.log())
	l.resync.requested = s.options.ResyncPeriod
	if r.options.ResyncPeriod != nil {
		l.resync.requested = *r.options.ResyncPeriod
	}
	l.home, l.number = p, r.number
	l.onSynced, l.onEnded = func() { r.noteSynced(l) }, func() { r.noteAlive(-1) }
	r.mu.Lock()
	r.behind[l] = struct{}{}
	r.mu.Unlock()
	log, replay := p.shared, func() *table.View { return s.replay(l, p) }
	if r.only != "" {
		log, replay = p.own, func() *table.View {
			v := s.objectsOf(p)
			return &v
		}
	}
	r.noteAlive(1) // before it can end
	if !log.add(l, replay) {
		r.noteAlive(-1)
		return
	}
	r.listeners[p] = l
}

// noteAlive counts listeners. When the handler was removed, or the informer ends, and none is left, it has been called for the
// last time.
func (r *registration) noteAlive(more int) {
	ending := r.informer.isEnding()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.alive += more
	r.removed = r.removed || ending
	r.endIfLast()
}

// noMore notes that no listener is added any more.
func (r *registration) noMore() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.removed = true
	r.endIfLast()
}

func (r *registration) endIfLast() {
	if r.removed && r.alive == 0 && !isClosed(r.ended) {
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
func (r *registration) noteSynced(l *listener) {
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
		p.shared.remove(l)
		p.own.remove(l)
	}
	if r.only != "" {
		s.dropOwn(r.only)
	}
	r.noMore()
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

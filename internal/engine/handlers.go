package engine

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"

	"vedette.dev/internal/fanout"
)

// PartitionHandler is called with changes and the partition that they happen in. What it is given is shared and must not be
// changed.
//
//   - It is called for several partitions at the same time, unless it asks for one at a time, but never twice at the same time for
//     one partition or for one key.
//   - An object that moves from one partition to another is updated for handlers of all partitions, in the new one. For
//     handlers of one partition it is deleted, or added.
//   - An object that moves because the partitions changed has not changed itself: handlers of all partitions are not called.
type PartitionHandler interface {
	OnAdd(partition string, obj any, isInInitialList bool)
	OnUpdate(partition string, oldObj, newObj any)
	OnDelete(partition string, obj any)
	// OnLost is called when a partition was removed, with the keys of the objects that were in it and are in no other partition. They need not
	// be deleted on the server: the informer has them no longer. It is called more than once if keys have moved before.
	OnLost(partition string, keys []string)
}

// Handler is a function that is called with notifications.
type Handler struct {
	Call func(*fanout.Notification)
	// Name returns what states call the handler.
	Name func() string
}

// HandlerOptions configures a [Handler].
type HandlerOptions struct {
	// Logger and ResyncPeriod are used in place of those of the informer, if they are not nil.
	Logger       *logr.Logger
	ResyncPeriod *time.Duration
	// MaxWaiting and OnPanic are those of fanout.Config.
	MaxWaiting int
	OnPanic    fanout.PanicPolicy
	// Partition is the only one that the handler is called for. Empty means all, also those to come.
	Partition string
}

// Registration is a handler with a listener in each partition that it is called for.
type Registration struct {
	informer *Informer
	number   int
	handler  Handler
	options  HandlerOptions

	// listeners is guarded by applyMu.
	listeners map[*partition]*fanout.Listener

	mu     sync.Mutex
	behind map[*fanout.Listener]struct{} // those that have not synced
	synced chan struct{}
	alive  int  // listeners that have not ended
	last   bool // no more listeners are added
	ended  chan struct{}
}

// AddHandler adds a handler. It is first called for all objects that there are, and then for each change.
func (s *Informer) AddHandler(h Handler, options HandlerOptions) (*Registration, error) {
	only := options.Partition
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	if s.isEnding() {
		return nil, fmt.Errorf("handler %s was not added to the informer of %s because it has stopped already", h.Name(), s.Describe())
	}
	if only != "" && s.partition(only) == nil {
		return nil, fmt.Errorf("handler %s is for partition %q, which the informer of %s does not have", h.Name(), only, s.Describe())
	}
	s.added++
	r := &Registration{
		informer: s, number: s.added, handler: h, options: options,
		listeners: map[*partition]*fanout.Listener{}, synced: make(chan struct{}), ended: make(chan struct{}),
		behind: map[*fanout.Listener]struct{}{},
	}
	for _, p := range s.routes.Load().partitions {
		r.join(p)
	}
	if only == "" {
		for _, p := range s.removed { // whose logs may have notifications of keys of others
			r.join(p)
		}
	}
	s.registrations = append(s.registrations, r)
	r.noteSynced(nil)
	return r, nil
}

// join adds a listener in a partition, under applyMu.
func (r *Registration) join(p *partition) {
	s := r.informer
	if r.options.Partition != "" && (r.options.Partition != p.config.ID || len(r.listeners) > 0) {
		return // it goes on with the log that it reads
	}
	l := r.newListener()
	r.mu.Lock()
	r.behind[l] = struct{}{}
	r.mu.Unlock()
	log, begin := p.shared, func() fanout.Replay { return s.replay(p) }
	if r.options.Partition != "" {
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
func (r *Registration) newListener() *fanout.Listener {
	config := fanout.Config{
		Call:         r.handler.Call,
		Name:         r.handler.Name,
		Number:       r.number,
		MaxWaiting:   r.options.MaxWaiting,
		OnPanic:      r.options.OnPanic,
		ResyncPeriod: r.informer.config.ResyncPeriod,
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
func (r *Registration) noteAlive(more int) {
	ending := r.informer.isEnding()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.alive += more
	r.last = r.last || ending
	r.noteEnded()
}

// noteLast is called when no more listeners are added: the handler was removed, or the informer has ended.
func (r *Registration) noteLast() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = true
	r.noteEnded()
}

// noteEnded closes ended if the handler is not called any more. In an informer that is not divided it has one listener, which may
// also end because the handler has ended its goroutine.
func (r *Registration) noteEnded() {
	if r.alive > 0 || !r.last && r.informer.only == nil {
		return
	}
	select {
	case <-r.ended:
	default:
		close(r.ended)
	}
}

// part removes the listener of a partition that is gone, under applyMu. A handler of one partition goes on, since there may be another of its
// ID.
func (r *Registration) part(p *partition) {
	if l := r.listeners[p]; l != nil && r.options.Partition == "" {
		delete(r.listeners, p)
		r.noteSynced(l)
	}
}

// noteSynced is called when a listener has synced or is gone, and when the informer has synced.
func (r *Registration) noteSynced(l *fanout.Listener) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.behind, l)
	// A handler of one partition does not wait for the others.
	if len(r.behind) == 0 && (r.options.Partition != "" || r.informer.HasSynced()) && !isClosed(r.synced) {
		close(r.synced)
	}
}

// RemoveHandler removes a handler. It does not wait for a call of the handler that is running, which is the last one.
func (s *Informer) RemoveHandler(r *Registration) {
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	if !slices.Contains(s.registrations, r) {
		return // it was removed before, or is that of another informer
	}
	s.registrations = slices.DeleteFunc(s.registrations, func(other *Registration) bool { return other == r })
	for p, l := range r.listeners {
		p.shared.Remove(l)
		p.own.Remove(l)
	}
	if r.options.Partition != "" {
		s.dropOwn(r.options.Partition)
	}
	r.noteLast()
}

// Name returns what states call the handler.
func (r *Registration) Name() string { return r.handler.Name() }

// Done returns a channel that is closed when the informer has synced and the handler was called for all objects that were there then.
func (r *Registration) Done() <-chan struct{} { return r.synced }

// Ended returns a channel that is closed when the handler was called for the last time.
func (r *Registration) Ended() <-chan struct{} { return r.ended }

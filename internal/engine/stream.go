package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/internal/listwatch"
	"vedette.dev/internal/object"
	"vedette.dev/internal/perturb"
)

// StreamConfig is one list and watch of an informer.
type StreamConfig struct {
	// Name is what logs and states call it.
	Name   string
	Source listwatch.Source
	// Prefix begins the keys of all objects of the stream, such as the name of a cluster.
	Prefix string
	// Partitions are those that the stream has objects for. They count as synced when it has brought its first list.
	Partitions []string
	// Fixed says that all objects are for the first of the partitions, whatever the router says.
	Fixed bool
	// Covers reports whether an object is one that the server was asked for. Nil means all. Others are unexpected, and dropped, unless the
	// server is Trusted.
	Covers  func(e *Envelope) bool
	Trusted bool
	// OnUnexpected is called once, when the server sends an object that it was not asked for. It must not wait.
	OnUnexpected func()
	// Shared says that the stream never waits for a partition, since the other partitions would wait, too.
	Shared bool
	// Settled says that an object is for the same partition for as long as it lives. An object for no partition is then dropped
	// without looking it up in the store.
	Settled bool
	// Leaves says that an object can leave what the server was asked for without being deleted, for another stream. A
	// deletion then only counts when it is certain that no other stream brings the object.
	Leaves bool
	// Exists asks the server for an object, to know sooner. It is used if Leaves is set, and may be nil.
	Exists func(ctx context.Context, namespace, name string) (uid types.UID, exists bool, err error)
	// Resume has the stream begin with a watch, from where others have been, instead of a list.
	Resume []ResumePoint
}

// ResumePoint is a version up to which everything is known already.
type ResumePoint struct {
	Version string
	// Covers reports whether that holds for an object. Nil means for all.
	Covers func(e *Envelope) bool
}

// Stream is a running list and watch.
type Stream struct {
	informer  *Informer
	config    StreamConfig
	reflector *listwatch.Reflector
	cancel    context.CancelFunc
	ended     chan struct{}
	stopping  atomic.Bool
	// notOlder is the highest version that the streams of the same prefix had reached when this one was added, 0 if none had: objects that
	// they have seen deleted must not come back with a list that is older.
	notOlder uint64
	// floors are those of config.Resume that still matter, highest the largest of them.
	floors  []floor
	highest uint64
	// epoch is the number of lists. Events that came before the last list are void.
	epoch atomic.Uint64

	// brought is set when the first list is in the store. The reflector reports it a moment later, when a caller that has waited for
	// it may have read the state already. It changes under applyMu.
	brought atomic.Bool
	// relisting says that the stream has begun again because objects had been left out, and has not brought a list since.
	relisting atomic.Bool
	// overtaken is, of a stream that has ended and whose events still wait, the versions of lists that other streams have brought since. It
	// is guarded by applyMu.
	overtaken []floor
	// feeds is config.Partitions, which can change.
	feeds atomic.Pointer[[]string]

	unexpected atomic.Bool // the server has sent something that it was not asked for

	// after is closed when the stream may begin; nil means at once.
	after <-chan struct{}
	// pending is how many of its events are not applied. It and version are guarded by the lock of the queue.
	// Invariant: all events of the stream up to version are applied.
	pending int
	version string
}

func (t *Stream) partitions() []string { return *t.feeds.Load() }

// floor is a version up to which everything is known of some objects; covers may be nil, and then it is all of them.
type floor struct {
	version uint64
	covers  func(*Envelope) bool
}

func (c *StreamConfig) validate() error {
	switch {
	case c.Source.List == nil:
		return fmt.Errorf("StreamConfig.Source of stream %q is nil", c.Name)
	case len(c.Partitions) == 0:
		return fmt.Errorf("StreamConfig.Partitions of stream %q is empty", c.Name)
	}
	return nil
}

// addStream adds a stream to an informer that is not divided, under applyMu and mu, or before others know of the informer.
func (s *Informer) addStream(config StreamConfig) *Stream {
	config.Partitions = []string{s.only.config.ID}
	t := &Stream{informer: s, config: config, ended: make(chan struct{})}
	t.feeds.Store(&t.config.Partitions)
	s.streams = append(slices.Clone(s.streams), t)
	s.only.awaited[t] = struct{}{}
	return t
}

func (s *Informer) streamCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.streams)
}

// start makes the reflector of a stream and runs it, under mu.
func (s *Informer) start(t *Stream) {
	config := listwatch.Config{
		Name:            t.config.Name,
		Type:            s.config.Type,
		Example:         s.config.Example,
		Source:          t.config.Source,
		Sink:            streamSink{t},
		Logger:          s.logger,
		Codec:           s.codec,
		Stored:          func(key string) any { return s.stored(t.config.Prefix + key) },
		MinWatchTimeout: s.config.MinWatchTimeout,
		Backoff:         s.config.Backoff,
		OnInconsistency: s.config.OnInconsistency,
		OnError:         s.onError,
	}
	if config.Name == "" {
		config.Name = listwatch.CallSite()
	}
	if t.notOlder > 0 {
		config.NotOlder = strconv.FormatUint(t.notOlder, 10)
	}
	t.reflector = listwatch.New(config)
	s.run(t)
}

// stored returns the object of a key as it is stored, or nil.
func (s *Informer) stored(key string) any {
	obj, _ := s.table.Get(key)
	return obj
}

// run runs the reflector of a stream, under mu. It may be called again when the reflector has ended.
func (s *Informer) run(t *Stream) {
	t.floors, t.highest = nil, 0
	t.reflector.Resume(t.setFloors())
	var ctx context.Context
	ctx, t.cancel = context.WithCancel(s.running)
	s.work.Go(func() {
		defer close(t.ended)
		defer t.cancel()
		if t.after != nil {
			<-t.after // which is closed also if the informer ends
		}
		t.reflector.Run(ctx)
	})
}

// setFloors sets floors and highest, and returns the version at which the watch begins, empty if versions cannot be compared.
func (t *Stream) setFloors() string {
	lowest := uint64(0)
	for i, point := range t.config.Resume {
		v, err := strconv.ParseUint(point.Version, 10, 64)
		if err != nil || v == 0 {
			t.floors, t.highest = nil, 0
			return ""
		}
		t.floors = append(t.floors, floor{v, point.Covers})
		t.highest = max(t.highest, v)
		if i == 0 || v < lowest {
			lowest = v
		}
	}
	if lowest == 0 {
		return ""
	}
	return strconv.FormatUint(lowest, 10)
}

// below reports whether a state of a key is known already from before the stream began.
func (t *Stream) below(e *Envelope, key, version string) bool {
	if len(t.floors) == 0 {
		return false
	}
	v, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return false
	}
	if v > t.highest {
		t.floors = nil // from here on, all is new
		return false
	}
	for _, f := range t.floors {
		if v <= f.version && (f.covers == nil || f.covers(e)) {
			return !t.informer.isBehind(key, version)
		}
	}
	return false
}

// isBehind reports whether an older state of a key is known, or may be: then the object came to where everything was known from
// where it was not, and no stream has said that it went.
func (s *Informer) isBehind(key, version string) bool {
	if s.queue.isPending(key) {
		return true
	}
	_, have, _, ok := s.known(key)
	order, comparable := object.Compare(have.Version, version)
	return ok && (!comparable || order < 0)
}

// stop ends a stream, and returns the version up to which the informer has received everything from it, empty if that is not known. Of
// what its resume points cover, the informer knows everything up to their versions as well. It is called under changing.
func (t *Stream) stop() (version string) {
	s := t.informer
	t.halt()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams = slices.DeleteFunc(slices.Clone(s.streams), func(other *Stream) bool { return other == t })
	s.halted = append(s.halted, t)
	// Partitions that wait for its list go on waiting, until a Change says for which streams.
	switch {
	case t.reflector == nil, t.relisting.Load():
		return ""
	case t.reflector.State().Synced:
		return t.reflector.LastSyncResourceVersion()
	}
	return t.reflector.ResumesAt() // empty, or where it would have begun
}

// halt ends the reflector.
func (t *Stream) halt() {
	s := t.informer
	t.stopping.Store(true)
	s.mu.Lock()
	running := t.reflector != nil
	s.mu.Unlock()
	if !running {
		return
	}
	t.cancel()
	for _, p := range t.fed() {
		s.queue.wake(p.inbox)
	}
	<-t.ended
}

// fed returns the partitions of the stream.
func (t *Stream) fed() []*partition {
	s := t.informer
	var out []*partition
	for _, id := range t.partitions() {
		if p := s.partition(id); p != nil {
			out = append(out, p)
		}
	}
	return out
}

// State returns what the stream is doing.
func (t *Stream) State() listwatch.State {
	t.informer.mu.Lock()
	defer t.informer.mu.Unlock()
	if t.reflector == nil {
		return listwatch.State{Name: t.config.Name, Type: t.informer.Describe()}
	}
	state := t.reflector.State()
	state.Synced = state.Synced || t.brought.Load()
	return state
}

// streamSink is a Stream as its reflector sees it.
type streamSink struct{ *Stream }

var _ listwatch.Sink = streamSink{}

// Relist begins a list.
func (t streamSink) Relist(bool) listwatch.Relist { return newRelist(t.Stream) }

// Take takes a change.
func (t streamSink) Take(e *listwatch.Event) error { return t.take(e) }

// Bookmark notes that everything up to a version was brought.
func (t streamSink) Bookmark(version string) error {
	if s := t.informer; s.versioned {
		s.queue.bookmark(s.only.inbox, version)
	}
	return nil
}

// Reached does nothing: a partition knows the version of each event.
func (t streamSink) Reached(string) {}

// Resync does nothing: partitions notify handlers again.
func (t streamSink) Resync() error { return nil }

// KeyOf returns the key of a decoded object.
func (t streamSink) KeyOf(obj any) (string, error) { return object.Key(obj) }

// take puts a change into the inbox that it is for.
func (t *Stream) take(e *listwatch.Event) error {
	key, rev := e.Key, e.Rev
	if e.Raw == nil {
		var err error
		if key, err = object.Key(e.Object); err != nil {
			return fmt.Errorf("object has no key: %w", err)
		}
		rev = object.Of(e.Object)
	}
	switch e.Type {
	case watch.Added, watch.Modified, watch.Deleted:
	default:
		return fmt.Errorf("an event of the unknown type %q", e.Type)
	}
	s := t.informer
	ev := s.queue.newEvent()
	ev.key, ev.deleted, ev.rev, ev.stream, ev.epoch = key, e.Type == watch.Deleted, rev, t, t.epoch.Load()
	if s.only != nil {
		if err := t.decodeNow(e, ev); err != nil {
			return err
		}
		s.queue.put(ev, s.only.inbox, s.config.MaxPending, t.stopping.Load) // if it is closed, the informer has ended
		return nil
	}
	ev.key, ev.at = t.config.Prefix+key, time.Now().UnixNano()
	env := envelopeOf(key, rev, e.Raw, e.Object)
	if t.below(&env, ev.key, rev.Version) || t.isUnexpected(&env) {
		return nil
	}
	ev.obj = e.Object
	return t.post(ev, &env, func() {
		if e.Raw != nil {
			ev.raw = e.Raw.CloneInto(s.queue.buffer())
		}
	})
}

// decodeNow decodes an event for an inbox that keeps all states. A deletion needs no object.
func (t *Stream) decodeNow(e *listwatch.Event, ev *pendingEvent) error {
	if e.Raw != nil {
		ev.size = int64(len(e.Raw.Bytes))
	}
	if ev.obj, ev.err = e.Load(); ev.err != nil {
		if e.Type == watch.Deleted {
			return nil
		}
		return &listwatch.UndecodableError{Key: e.Key, Err: ev.err}
	}
	if ev.obj, ev.err = t.informer.transformed(ev.obj); ev.err != nil && e.Type != watch.Deleted {
		return ev.err
	}
	return nil
}

func (t *Stream) isUnexpected(e *Envelope) bool {
	if t.config.Covers == nil || t.config.Trusted || t.config.Covers(e) {
		return false
	}
	if !t.unexpected.Swap(true) && t.config.OnUnexpected != nil {
		t.config.OnUnexpected()
	}
	return true
}

// post puts an event into the inbox that it is for. keep makes a copy of what the event refers to.
func (t *Stream) post(ev *pendingEvent, env *Envelope, keep func()) error {
	s := t.informer
	most := 0
	if !t.config.Shared {
		most = s.config.MaxPending
	}
	kept := false
	for {
		p := s.inboxFor(t, ev, env)
		if p == nil {
			return nil
		}
		if !kept {
			keep()
			kept = true
		}
		perturb.Point()
		if s.queue.put(ev, p.inbox, most, t.stopping.Load) {
			return nil
		}
		if s.isEnding() {
			return nil
		}
	}
}

// inboxFor returns the partition in whose inbox an event goes, or nil. It is a guess that spreads the work: what counts is which
// partition owns the object when the event is applied.
func (s *Informer) inboxFor(t *Stream, ev *pendingEvent, env *Envelope) *partition {
	routes := s.routes.Load()
	if p := routes.find(t, env); p != nil {
		ev.to, ev.by = p, routes
		return p
	}
	if t.config.Settled {
		return nil
	}
	// The queue is asked before the store: what is applied in between is in the store.
	waits := s.queue.isPending(ev.key)
	perturb.Point()
	owner, ok := s.table.Owner(ev.key)
	if p := routes.partitions[owner]; p != nil {
		return p
	}
	if ok || waits { // partitions have just changed, or it joins the event that is there
		for _, p := range routes.partitions {
			return p
		}
	}
	return nil
}

// routes says which partition gets which objects. It is immutable: a change of partitions replaces it, under applyMu.
type routes struct {
	router     Router
	partitions map[string]*partition
	only       *partition // of an informer that is not divided
	// fixed has the IDs of the partitions of streams that are Fixed and have another than they began with, so that they change in the same
	// step as the others. It is empty for a stream that has ended and whose partition is gone: then the router decides.
	fixed map[*Stream]string
}

func (s *Informer) partition(id string) *partition { return s.routes.Load().partitions[id] }

func (r *routes) find(t *Stream, env *Envelope) *partition {
	if r.only != nil {
		return r.only
	}
	if id := r.fixedID(t); id != "" {
		return r.partitions[id]
	}
	return r.partitions[r.router(t.config.Prefix, env)]
}

// fixedID returns the ID of the partition that has all objects of a stream, empty if the router decides.
func (r *routes) fixedID(t *Stream) string {
	if !t.config.Fixed {
		return ""
	}
	if id, changed := r.fixed[t]; changed {
		return id
	}
	return t.config.Partitions[0]
}

// decode decodes an event that was put into an inbox as it came.
func (t *Stream) decode(ev *pendingEvent) {
	if ev.raw == nil {
		ev.obj, ev.err = t.reflector.Admit(ev.obj)
	} else {
		ev.obj, ev.err = t.reflector.Decode(ev.bare(), ev.raw)
	}
	if ev.err == nil {
		ev.obj, ev.err = t.informer.transformed(ev.obj)
	}
	if ev.err != nil && ev.raw != nil && !ev.deleted {
		t.cannotRead(ev.bare(), ev.err)
	}
}

// cannotRead reports to the reflector an object that cannot be decoded, which the reflector did not decode itself.
func (t *Stream) cannotRead(key string, err error) {
	var unexpected *listwatch.UnexpectedError
	if errors.As(err, &unexpected) {
		t.reflector.Skip(err)
		return
	}
	t.reflector.Undecodable(&listwatch.UndecodableError{Key: key, Err: err})
	t.reflector.Recheck()
}

// transformed returns what is stored of an object.
func (s *Informer) transformed(obj any) (any, error) {
	if s.transforming == nil {
		return obj, nil
	}
	return s.transforming(obj)
}

package cache

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
)

// StreamConfig is one list and watch of a PartitionedInformer.
type StreamConfig struct {
	// Name is what logs and states call it.
	Name   string
	Source ListerWatcher
	// Prefix begins the keys of all objects of the stream, such as the name of a cluster.
	Prefix string
	// Partitions are those that the stream has objects for. They count as synced when it has brought its first list.
	Partitions []string
	// Fixed says that all objects are for the first of the partitions, whatever the router says.
	Fixed bool
	// Covers says which objects are within what the server was asked for. Nil means all. Others are strangers, and
	// dropped, unless the server is Trusted.
	Covers  func(e *Envelope) bool
	Trusted bool
	// OnStranger is called once, when the server sends an object that it was not asked for. It must not wait.
	OnStranger func()
	// Shared says that the stream never waits for a partition, since others would wait, too.
	Shared bool
	// Settled says that an object is for the same partition for as long as it lives. Those for none are then dropped without
	// a look at what is known.
	Settled bool
	// Leaves says that an object can leave what the server was asked for without being deleted, for another stream. A
	// deletion then only counts when it is certain that no other stream brings the object.
	Leaves bool
	// Exists asks the server for an object, to know sooner. It is used if Leaves is set, and may be nil.
	Exists func(ctx context.Context, namespace, name string) (uid types.UID, exists bool, err error)
	// Resume has the stream begin with a watch, from where others have been, instead of a list.
	Resume []ResumePoint
}

// ResumePoint is up to which version everything is known already.
type ResumePoint struct {
	Version string
	// Covers says of which objects. Nil means all.
	Covers func(e *Envelope) bool
}

// Stream is a running list and watch.
type Stream struct {
	informer  *informer
	config    StreamConfig
	reflector *Reflector
	cancel    context.CancelFunc
	ended     chan struct{}
	stopping  atomic.Bool
	// floors are those of config.Resume that still matter, highest the largest of them.
	floors  []floor
	highest uint64
	// epoch counts lists. What came before the last one is nothing.
	epoch atomic.Uint64

	// brought: its first list is in the store. The reflector says so a moment later, when those who have waited for it may
	// have looked already. It changes under applyMu.
	brought atomic.Bool
	// relisting says that the stream has begun again because objects had been left out, and has not brought a list since.
	relisting atomic.Bool
	// overtaken is, when the stream has ended and what it brought still waits, what lists of other streams have said since. It
	// belongs to applyMu.
	overtaken []floor
	// feeds is config.Partitions, which can change.
	feeds atomic.Pointer[[]string]

	strange atomic.Bool // the server has sent something that it was not asked for

	// after is closed when the stream may begin; nil means at once.
	after <-chan struct{}
	// pending is how many of its events are not applied, and version is one up to which all are. They are guarded by the lock of the
	// queue.
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
	case c.Source == nil:
		return fmt.Errorf("cache: StreamConfig.Source of stream %q is nil", c.Name)
	case len(c.Partitions) == 0:
		return fmt.Errorf("cache: StreamConfig.Partitions of stream %q is empty", c.Name)
	}
	return nil
}

// addStream adds a stream to an informer that is not divided, under applyMu and mu, or before others know of the informer.
func (s *informer) addStream(config StreamConfig) *Stream {
	config.Partitions = []string{s.only.config.ID}
	t := &Stream{informer: s, config: config, ended: make(chan struct{})}
	t.feeds.Store(&t.config.Partitions)
	s.streams = append(slices.Clone(s.streams), t)
	s.only.awaited[t] = struct{}{}
	return t
}

func (s *informer) streamCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.streams)
}

// start makes the reflector of a stream and runs it, under mu.
func (s *informer) start(t *Stream) {
	t.reflector = NewReflectorWithOptions(t.config.Source, s.example, streamStore{t}, ReflectorOptions{
		Logger:          &s.logger,
		Name:            t.config.Name,
		TypeDescription: s.options.ObjectDescription,
		MinWatchTimeout: s.minWatchTimeout,
		Backoff:         s.options.Backoff,
	})
	t.reflector.codec = s.codec
	t.reflector.stored = func(key string) any { return s.indexer.stored(t.config.Prefix + key) }
	t.reflector.OnInconsistency = s.options.OnInconsistency
	if s.onError != nil {
		t.reflector.onError = s.onError
	}
	s.run(t)
}

// run runs the reflector of a stream, under mu. It can do so again when it has ended.
func (s *informer) run(t *Stream) {
	t.floors, t.highest = nil, 0
	t.reflector.resume = t.setFloors()
	var ctx context.Context
	ctx, t.cancel = context.WithCancel(s.running)
	s.work.Go(func() {
		defer close(t.ended)
		defer t.cancel()
		if t.after != nil {
			<-t.after // which is closed also if the informer ends
		}
		t.reflector.RunWithContext(ctx)
	})
}

// setFloors returns the version at which to begin, or nothing if versions cannot be compared.
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

// below tells whether a state of a key is known already from before the stream began.
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

// isBehind tells whether an older state of a key is known, or may be: then the object came to where everything was known from
// where it was not, and nobody has heard that it went.
func (s *informer) isBehind(key, version string) bool {
	if s.queue.holds(key) {
		return true
	}
	_, have, _, ok := s.known(key)
	order, comparable := compareVersions(have.version, version)
	return ok && (!comparable || order < 0)
}

// stop ends a stream, and returns the version up to which the informer has heard everything from it, empty if that is not known. Of
// what its resume points cover, the informer knows everything up to their versions as well. It is called under changing.
func (t *Stream) stop() (version string) {
	s := t.informer
	t.halt()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams = slices.DeleteFunc(slices.Clone(s.streams), func(other *Stream) bool { return other == t })
	// Partitions that wait for its list wait on, until a Change says what for.
	switch {
	case t.reflector == nil, t.relisting.Load():
		return ""
	case t.reflector.State().Synced:
		return t.reflector.LastSyncResourceVersion()
	}
	return t.reflector.resume // empty, or where it would have begun
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

// fed is the partitions of the stream.
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

// State tells what the stream is doing.
func (t *Stream) State() State {
	t.informer.mu.Lock()
	defer t.informer.mu.Unlock()
	if t.reflector == nil {
		return State{Name: t.config.Name, Type: t.informer.describe()}
	}
	state := t.reflector.State()
	state.Synced = state.Synced || t.brought.Load()
	return state
}

// take puts a change into the inbox that it is for.
func (t *Stream) take(e *event) error {
	key, rev := e.key, e.rev
	if e.raw == nil {
		var err error
		if key, err = MetaNamespaceKeyFunc(e.object); err != nil {
			return KeyError{e.object, err}
		}
		rev = revisionOf(e.object)
	}
	switch e.what {
	case watch.Added, watch.Modified, watch.Deleted:
	default:
		return fmt.Errorf("an event of the unknown type %q", e.what)
	}
	s := t.informer
	ev := s.queue.newEvent()
	ev.key, ev.deleted, ev.rev, ev.stream, ev.epoch = key, e.what == watch.Deleted, rev, t, t.epoch.Load()
	if s.only != nil {
		if err := t.decodeNow(e, ev); err != nil {
			return err
		}
		s.queue.put(ev, s.only.inbox, s.options.pending(), t.stopping.Load) // if it is closed, the informer has ended
		return nil
	}
	ev.key, ev.at = t.config.Prefix+key, time.Now().UnixNano()
	env := envelopeOf(key, rev, e.raw, e.object)
	if t.below(&env, ev.key, rev.version) || t.stranger(&env) {
		return nil
	}
	ev.obj = e.object
	return t.post(ev, &env, func() {
		if e.raw != nil {
			ev.raw = e.raw.CloneInto(s.queue.buffer())
		}
	})
}

// decodeNow decodes an event for an inbox that keeps all states. A deletion needs no object.
func (t *Stream) decodeNow(e *event, ev *pendingEvent) error {
	if e.raw != nil {
		ev.size = int64(len(e.raw.Bytes))
	}
	if ev.obj, ev.err = t.reflector.load(e); ev.err != nil {
		if e.what == watch.Deleted {
			return nil
		}
		return &UndecodableError{Key: e.key, Err: ev.err}
	}
	if ev.obj, ev.err = t.informer.transformed(ev.obj); ev.err != nil && e.what != watch.Deleted {
		return ev.err
	}
	return nil
}

func (t *Stream) stranger(e *Envelope) bool {
	if t.config.Covers == nil || t.config.Trusted || t.config.Covers(e) {
		return false
	}
	if !t.strange.Swap(true) && t.config.OnStranger != nil {
		t.config.OnStranger()
	}
	return true
}

// post puts an event into the inbox that it is for. keep makes a copy of what the event refers to.
func (t *Stream) post(ev *pendingEvent, env *Envelope, keep func()) error {
	s := t.informer
	most := 0
	if !t.config.Shared {
		most = s.options.pending()
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
func (s *informer) inboxFor(t *Stream, ev *pendingEvent, env *Envelope) *partition {
	routes := s.routes.Load()
	if p := routes.find(t, env); p != nil {
		ev.to, ev.by = p, routes
		return p
	}
	if t.config.Settled {
		return nil
	}
	home, ok := s.indexer.table.Owner(ev.key)
	if p := routes.partitions[home]; p != nil {
		return p
	}
	if ok || s.queue.holds(ev.key) { // partitions have just changed, or it joins the event that is there
		for _, p := range routes.partitions {
			return p
		}
	}
	return nil
}

// routes is who gets what. It never changes: a change of partitions puts another in its place, under applyMu.
type routes struct {
	router     Router
	partitions map[string]*partition
	only       *partition // of an informer that is not divided
	// fixed has the partitions of streams that are Fixed and have another than they began with, so that they change in the same step as
	// the others.
	fixed map[*Stream]string
}

func (s *informer) partition(id string) *partition { return s.routes.Load().partitions[id] }

func (r *routes) find(t *Stream, env *Envelope) *partition {
	if r.only != nil {
		return r.only
	}
	if t.config.Fixed {
		id, changed := r.fixed[t]
		if !changed {
			id = t.config.Partitions[0]
		}
		return r.partitions[id]
	}
	return r.partitions[r.router(t.config.Prefix, env)]
}

// decode decodes an event that was put into an inbox as it came.
func (t *Stream) decode(ev *pendingEvent) {
	if ev.raw == nil {
		ev.obj, ev.err = t.reflector.admitted(ev.obj)
	} else {
		ev.obj, ev.err = t.reflector.decode(ev.bare(), ev.raw)
	}
	if ev.err == nil {
		ev.obj, ev.err = t.informer.transformed(ev.obj)
	}
	if ev.err != nil && ev.raw != nil && !ev.deleted {
		t.cannotRead(ev.bare(), ev.err)
	}
}

// cannotRead has the reflector note what it did not decode itself.
func (t *Stream) cannotRead(key string, err error) {
	var unexpected *unexpectedError
	if errors.As(err, &unexpected) {
		t.reflector.skip(err)
		return
	}
	t.reflector.cannotRead(&UndecodableError{Key: key, Err: err})
	if _, due := t.reflector.dueForRecheck(); !due {
		t.reflector.setRecheck(t.reflector.clock.Now().Add(recheckFirst))
		t.reflector.checkSoon.Store(true)
	}
}

// transformed is what is stored of an object.
func (s *informer) transformed(obj any) (any, error) {
	if s.transforming == nil {
		return obj, nil
	}
	return s.transforming(obj)
}

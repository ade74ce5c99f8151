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
	informer  *PartitionedInformer
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
	// have looked already. It changes under telling.
	brought atomic.Bool
	// relisting says that the stream has begun again because objects had been left out, and has not brought a list since.
	relisting atomic.Bool
	// overtaken is, when the stream has ended and what it brought still waits, what lists of other streams have said since. It
	// belongs to telling.
	overtaken []floor
	// feeds is config.Partitions, which can change.
	feeds atomic.Pointer[[]string]

	strange atomic.Bool // the server has sent something that it was not asked for
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

// start makes the reflector of a stream and runs it, under mu.
func (s *PartitionedInformer) start(t *Stream) {
	t.reflector = NewReflectorWithOptions(t.config.Source, s.example, streamStore{t}, ReflectorOptions{
		Logger:          &s.logger,
		Name:            t.config.Name,
		TypeDescription: s.options.ObjectDescription,
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
func (s *PartitionedInformer) run(t *Stream) {
	t.floors, t.highest = nil, 0
	t.reflector.resume = t.setFloors()
	var ctx context.Context
	ctx, t.cancel = context.WithCancel(s.running)
	s.work.Go(func() {
		defer close(t.ended)
		defer t.cancel()
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
func (s *PartitionedInformer) isBehind(key, version string) bool {
	if s.mailbox.holds(key) {
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
		s.mailbox.wake(p.tray)
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

// take takes a change that is not decoded.
func (t *Stream) take(e *event) error {
	key, id := e.key, e.id
	if e.raw == nil {
		var err error
		if key, err = MetaNamespaceKeyFunc(e.object); err != nil {
			return KeyError{e.object, err}
		}
		id = stampOf(e.object)
	}
	env := envelopeOf(key, id, e.raw, e.object)
	if t.below(&env, t.config.Prefix+key, id.version) {
		return nil
	}
	switch e.what {
	case watch.Added, watch.Modified, watch.Deleted:
	default:
		return fmt.Errorf("an event of the unknown type %q", e.what)
	}
	if t.stranger(&env) {
		return nil
	}
	l := &letter{
		key: t.config.Prefix + key, bare: key, what: e.what, id: id,
		stream: t, epoch: t.epoch.Load(), at: time.Now(), obj: e.object,
	}
	return t.post(l, &env, func() {
		if e.raw != nil {
			l.raw = e.raw.CloneInto(t.informer.mailbox.buffer())
		}
	})
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

// post puts a letter where it belongs. keep makes what it holds its own.
func (t *Stream) post(l *letter, env *Envelope, keep func()) error {
	s := t.informer
	most := 0
	if !t.config.Shared {
		most = s.options.pending()
	}
	kept := false
	for {
		p := s.trayFor(t, l, env)
		if p == nil {
			return nil
		}
		if !kept {
			keep()
			kept = true
		}
		if s.mailbox.put(l, p.tray, most, t.stopping.Load) {
			return nil
		}
		if s.isEnding() {
			return nil
		}
	}
}

func (s *PartitionedInformer) isEnding() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ending
}

// trayFor is the partition in whose tray a letter goes, or nil. It is a guess that spreads the work: what counts is where the
// object belongs when it is applied.
func (s *PartitionedInformer) trayFor(t *Stream, l *letter, env *Envelope) *partition {
	routes := s.routes.Load()
	if p := routes.find(t, env); p != nil {
		l.to, l.by = p, routes
		return p
	}
	if t.config.Settled {
		return nil
	}
	home, ok := s.indexer.table.Owner(l.key)
	if p := routes.partitions[home]; p != nil {
		return p
	}
	if ok || s.mailbox.holds(l.key) { // partitions have just changed, or it joins the letter that is there
		for _, p := range routes.partitions {
			return p
		}
	}
	return nil
}

// routes is who gets what. It never changes: a change of partitions puts another in its place, under telling.
type routes struct {
	router     Router
	partitions map[string]*partition
}

func (s *PartitionedInformer) partition(id string) *partition { return s.routes.Load().partitions[id] }

func (r *routes) find(t *Stream, env *Envelope) *partition {
	if t.config.Fixed {
		return r.partitions[t.partitions()[0]]
	}
	return r.partitions[r.router(t.config.Prefix, env)]
}

// open decodes a letter.
func (t *Stream) open(l *letter) {
	if l.raw == nil {
		if l.obj, l.err = t.reflector.admitted(l.obj); l.err == nil {
			l.obj, l.err = t.informer.transformed(l.obj)
		}
		packAway(l.obj)
		return
	}
	if l.obj, l.err = t.reflector.decode(l.bare, l.raw); l.err == nil {
		l.obj, l.err = t.informer.transformed(l.obj)
	}
	if l.what != watch.Deleted {
		packAway(l.obj)
	}
	if l.err != nil && l.what != watch.Deleted {
		t.cannotRead(l.bare, l.err)
	}
}

// cannotRead has the reflector note what it did not decode itself.
func (t *Stream) cannotRead(key string, err error) {
	var stranger *strangerError
	if errors.As(err, &stranger) {
		t.reflector.skip(err)
		return
	}
	t.reflector.cannotRead(&UndecodableError{Key: key, Err: err})
	if _, due := t.reflector.dueForRecheck(); !due {
		t.reflector.setRecheck(t.reflector.clock.Now().Add(recheckFirst))
		t.reflector.lookSoon.Store(true)
	}
}

// transformed is what is stored of an object.
func (s *PartitionedInformer) transformed(obj any) (any, error) {
	if s.transforming == nil {
		return obj, nil
	}
	return s.transforming(obj)
}

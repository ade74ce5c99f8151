package ownwrites

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
)

// Tracker records what this program wrote to the objects of one informer. Indexer shows these writes before their
// events arrive, and OwnAdd, OwnUpdate and OwnDelete recognise the events. All methods are safe for concurrent use; a
// nil Tracker is not usable.
type Tracker struct {
	*core
	cluster string // the cluster of its writes
}

// core is the part that the trackers of all clusters share.
type core struct {
	config   Config
	informer cache.SharedIndexInformer
	store    cache.Indexer
	view     *view
	// namespaced and sharded are the informer, if it knows its version for each namespace, or for each key.
	namespaced namespaced
	sharded    sharded

	clusters clusters
	overlay  *overlay
	entries  atomic.Uint64 // number of entries made so far
	memory   *memory
	flights  flights
	form     form
	versions namespaceVersions
	counts   counts

	// handle is the registration of the handler that settles entries.
	handle cache.ResourceEventHandlerRegistration

	mu     sync.Mutex // guards the fields below, and is held while sweeping
	closed atomic.Bool
	timer  *time.Timer    // nil while the overlay is empty
	asking question       // for a version from after deletions
	armed  atomic.Bool    // whether there is a timer, readable without the lock
	swept  sync.WaitGroup // counts the timer and requests for versions
	ctx    context.Context
	cancel context.CancelFunc // of ctx, called by Close
}

// namespaced is implemented by cache.NamespacedInformer.
type namespaced interface {
	Namespaces() []string
	StoreVersion(namespace string) string
}

// sharded is implemented by shard.ShardingInformer.
type sharded interface {
	StoreVersionOf(key string) (version string, watched bool)
}

// giveUp is how long an entry is kept if it cannot be known when the store has caught up. It is far longer than a watch
// should lag.
const giveUp = 10 * time.Minute

// New returns a tracker for an informer, which may be running already and must not have stopped. The tracker adds a
// handler to it, which Close removes.
func New(informer cache.SharedIndexInformer, config Config) (*Tracker, error) {
	if isNil(informer) {
		return nil, errors.New("ownwrites: informer is nil")
	}
	if err := config.validate(); err != nil {
		return nil, err
	}
	config = config.withDefaults()
	t := &core{
		config:   config,
		informer: informer,
		store:    informer.GetIndexer(),
		overlay:  newOverlay(),
		memory:   newMemory(config.Remember),
	}
	t.namespaced, _ = informer.(namespaced)
	t.sharded, _ = informer.(sharded)
	t.ctx, t.cancel = context.WithCancel(context.Background())
	t.view = &view{t: t, store: t.store}
	t.form.learn(config.Object)
	t.form.fixed = config.Transform != nil // the store's objects are transformed
	handle, err := informer.AddEventHandlerWithResyncPeriod(settler{t}, 0)
	if err != nil {
		return nil, err
	}
	t.handle = handle
	return &Tracker{core: t}, nil
}

// InCluster returns the tracker for writes to one of the clusters of a sharding informer. It is for [Client] and [Dynamic],
// and for recording by hand:
//
//	pods := ownwrites.Client(east.CoreV1().Pods("default"), tracker.InCluster("east"))
//
// Everything else is shared with the tracker: Indexer shows the writes to all clusters, under keys that begin with
// their names, and Close closes all.
func (t *Tracker) InCluster(cluster string) *Tracker {
	t.clusters.add(cluster)
	return &Tracker{core: t.core, cluster: cluster}
}

// ident returns the key of the entry of a name.
func (t *Tracker) ident(name cache.ObjectName) ident { return ident{t.cluster, name} }

// Close removes the tracker's handler from the informer and drops all entries. From then on Indexer shows what the
// store has, no event is own, and writes through the clients are not recorded. It may be called more than once, and
// must not be called by a handler of the informer.
func (t *Tracker) Close() error {
	t.mu.Lock()
	again := t.closed.Swap(true)
	if t.timer != nil && t.timer.Stop() {
		t.swept.Done()
	}
	t.timer = nil
	t.cancel()
	t.mu.Unlock()
	t.swept.Wait()
	if again {
		return nil
	}
	err := cache.ShutDownEventHandler(t.informer, t.handle)
	t.overlay.clear()
	t.memory.clear()
	return err
}

// Indexer returns the store of the informer with the own writes on top. Every lister can read from it. Its writing
// methods return [ErrReadOnly], except AddIndexers, which calls AddIndexers of the informer.
func (t *Tracker) Indexer() cache.Indexer { return t.view }

// settler is the event handler of a tracker: when it receives an event, the object is in the store.
type settler struct{ t *core }

func (s settler) OnAdd(obj any, _ bool)  { s.t.receive(obj) }
func (s settler) OnUpdate(_, newObj any) { s.t.receive(newObj) }
func (s settler) OnDelete(obj any)       { s.t.receive(obj) }

func (t *core) receive(obj any) {
	name, m := t.identify(obj)
	if name == (cache.ObjectName{}) {
		return
	}
	if m != nil {
		t.form.learn(obj)
		if t.namespaced != nil {
			t.versions.note(name.Namespace, versionOf(m), t.namespaces)
		}
		t.flights.note(m)
	}
	if t.overlay.empty() {
		return
	}
	for _, cluster := range t.clusters.all() { // the event does not have the cluster
		id := ident{cluster, name}
		if m != nil {
			t.noteVersion(id, m, obj)
		}
		t.settle(id)
	}
}

// noteVersion records in the entry of an object the version in an event.
func (t *core) noteVersion(id ident, m metav1.Object, obj any) {
	e := t.overlay.get(id)
	if e == nil {
		return
	}
	version := versionOf(m)
	if _, missing := obj.(cache.DeletedFinalStateUnknown); missing && m.GetUID() == e.uid {
		version = max(version, e.version) // a relist without the object is newer than any write to it
	}
	if e.afterEvent(m.GetUID(), version) == e {
		return
	}
	t.overlay.change(id, func(old *entry) *entry {
		if old == nil || old.number != e.number {
			return old // it was written again: another event will follow
		}
		return old.afterEvent(m.GetUID(), version)
	})
}

// settle removes the entry of an object if the store has caught up with it.
func (t *core) settle(id ident) {
	e := t.overlay.get(id)
	if e == nil || !t.isSettled(e) {
		return
	}
	_, after := t.overlay.change(id, func(old *entry) *entry {
		if old == e {
			return nil
		}
		return old
	})
	if after == nil {
		t.counts.settled.Add(1)
	}
}

func (t *core) isSettled(e *entry) bool {
	return t.isSettledAt(e, t.coverage(e))
}

// isSettledAt reports whether an entry adds nothing to a store that has everything of its object up to a version.
func (t *core) isSettledAt(e *entry, version uint64) bool {
	now := time.Now()
	if e.settled(version, t.held(e.key), now) {
		return true
	}
	return now.Sub(e.since) > giveUp && t.isUnversioned() && t.informer.HasSynced()
}

// arm starts the timer for the next sweep, unless it is running.
func (t *core) arm() {
	if t.armed.Load() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer == nil && !t.closed.Load() {
		t.setTimer()
	}
}

func (t *core) setTimer() {
	t.swept.Add(1)
	t.armed.Store(true)
	t.timer = time.AfterFunc(t.config.Sweep, t.sweep)
}

// sweep is the function of the timer.
func (t *core) sweep() {
	defer t.swept.Done()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer = nil
	if t.closed.Load() {
		return
	}
	t.settleAll()
	t.ask()
	t.armed.Store(false) // before the overlay is read: insert uses the opposite order
	if !t.overlay.empty() && !t.informer.IsStopped() {
		t.setTimer()
	}
}

// settleAll settles all entries that can be: a bookmark advances the store's version without an event, and so may a
// list.
func (t *core) settleAll() {
	within := t.within()
	entries := t.overlay.snapshot()
	t.catchUp(entries)
	for e := range entries.all() {
		if within(e.id) {
			t.settle(e.id)
		} else {
			t.overlay.change(e.id, func(*entry) *entry { return nil })
		}
	}
}

// catchUp reads the versions of an informer of several namespaces. Reads do not: they might block.
func (t *core) catchUp(entries *snapshot) {
	if t.namespaced == nil {
		return
	}
	asked := map[string]bool{}
	for e := range entries.all() {
		if namespace := e.id.Namespace; !asked[namespace] {
			asked[namespace] = true
			t.versions.note(namespace, numeric(t.namespaced.StoreVersion(namespace)), t.namespaces)
		}
	}
}

// within returns a function that reports whether the informer watches the namespace of an object.
func (t *core) within() func(id ident) bool {
	switch {
	case t.sharded != nil:
		return func(id ident) bool {
			_, watched := t.sharded.StoreVersionOf(id.String())
			return watched
		}
	case t.namespaced != nil:
		looksAt := t.namespaces()
		return func(id ident) bool { return looksAt(id.Namespace) }
	}
	return func(ident) bool { return true }
}

// namespaces returns a function that reports whether an informer of several namespaces watches a namespace.
func (t *core) namespaces() func(namespace string) bool {
	set := map[string]bool{}
	for _, namespace := range t.namespaced.Namespaces() {
		set[namespace] = true
	}
	return func(namespace string) bool { return set[namespace] }
}

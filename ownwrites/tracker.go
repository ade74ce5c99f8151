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

// Tracker knows what this program wrote to the objects of one informer. It shows them in Indexer before the informer has heard of
// them, and recognises their events. All its methods may be called by many goroutines, and of a nil Tracker none may.
type Tracker struct {
	*core
	cluster string // in which its writes are
}

// core is what the trackers of all clusters have in common.
type core struct {
	config   Config
	informer cache.SharedIndexInformer
	store    cache.Indexer
	view     *view
	// namespaced and sharded are the informer, if it knows how far it is with a namespace, or with a key.
	namespaced namespaced
	sharded    sharded

	clusters clusters
	overlay  *overlay
	entries  atomic.Uint64 // how many were made
	memory   *memory
	flights  flights
	form     form
	heard    heard
	counts   counts

	// handle is that of the handler that has entries settled.
	handle cache.ResourceEventHandlerRegistration

	mu     sync.Mutex // guards what follows, and is held while sweeping
	closed atomic.Bool
	timer  *time.Timer    // nil while the overlay is empty
	asking question       // for a version from after deletions
	armed  atomic.Bool    // whether there is a timer, to be read without the lock
	swept  sync.WaitGroup // counts the timer, and what is asked
	ctx    context.Context
	cancel context.CancelFunc // of ctx, called by Close
}

// namespaced is a cache.NamespacedInformer.
type namespaced interface {
	Namespaces() []string
	StoreVersion(namespace string) string
}

// sharded is a shard.ShardingInformer.
type sharded interface {
	StoreVersionOf(key string) (version string, watched bool)
}

// giveUp is how long an entry is kept of which nobody can tell when the store has caught up. It is far longer than a watch
// should lag.
const giveUp = 10 * time.Minute

// New returns a tracker for an informer, which may run already and must not have stopped. The tracker adds a handler to it. Close
// ends it.
func New(informer cache.SharedIndexInformer, config Config) (*Tracker, error) {
	if isNil(informer) {
		return nil, errors.New("ownwrites: the informer is nil")
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
	t.form.fixed = config.Transform != nil // the store's objects are what became of others
	handle, err := informer.AddEventHandlerWithResyncPeriod(settler{t}, 0)
	if err != nil {
		return nil, err
	}
	t.handle = handle
	return &Tracker{core: t}, nil
}

// InCluster returns the tracker for the writes to one of the clusters of a sharding informer. It is for Client and Dynamic, and for
// what is recorded by hand:
//
//	pods := ownwrites.Client(east.CoreV1().Pods("default"), tracker.InCluster("east"))
//
// All else is that of the tracker: Indexer shows the writes to all clusters, under keys that begin with their names, and Close closes
// all.
func (t *Tracker) InCluster(cluster string) *Tracker {
	t.clusters.add(cluster)
	return &Tracker{core: t.core, cluster: cluster}
}

// ident is where the entry of a name belongs.
func (t *Tracker) ident(name cache.ObjectName) ident { return ident{t.cluster, name} }

// Close takes the tracker's handler from the informer and forgets everything. From then on Indexer shows what the store has, no
// event is taken for an own one, and writes through the clients go on unrecorded. It may be called twice, and must not be
// called by a handler of the informer.
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

// Indexer is the store of the informer with the own writes on top. Every lister can read from it. Its writing methods return
// ErrReadOnly, but AddIndexers, which is that of the informer.
func (t *Tracker) Indexer() cache.Indexer { return t.view }

// settler is the handler of a tracker: when it hears of a key, the store has it.
type settler struct{ t *core }

func (s settler) OnAdd(obj any, _ bool)  { s.t.hear(obj) }
func (s settler) OnUpdate(_, newObj any) { s.t.hear(newObj) }
func (s settler) OnDelete(obj any)       { s.t.hear(obj) }

func (t *core) hear(obj any) {
	name, m := t.identify(obj)
	if name == (cache.ObjectName{}) {
		return
	}
	if m != nil {
		t.form.learn(obj)
		if t.namespaced != nil {
			t.heard.note(name.Namespace, versionOf(m), t.namespaces)
		}
		t.flights.tell(m)
	}
	if t.overlay.empty() {
		return
	}
	for _, cluster := range t.clusters.all() { // the event does not say which
		id := ident{cluster, name}
		if m != nil {
			t.told(id, m, obj)
		}
		t.settle(id)
	}
}

// told notes in the entry of an object what an event tells of it.
func (t *core) told(id ident, m metav1.Object, obj any) {
	e := t.overlay.get(id)
	if e == nil {
		return
	}
	version := versionOf(m)
	if _, missing := obj.(cache.DeletedFinalStateUnknown); missing && m.GetUID() == e.uid {
		version = max(version, e.version) // a list has it no more, and so is newer than any write to it
	}
	if e.heard(m.GetUID(), version) == e {
		return
	}
	t.overlay.change(id, func(old *entry) *entry {
		if old == nil || old.number != e.number {
			return old // it was written again: there will be an event for that
		}
		return old.heard(m.GetUID(), version)
	})
}

// settle takes out the entry of an object if the store has caught up with it.
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

// isSettledAt reports whether an entry has nothing to add to a store that has everything of its object up to a version.
func (t *core) isSettledAt(e *entry, version uint64) bool {
	now := time.Now()
	if e.settled(version, t.held(e.key), now) {
		return true
	}
	return now.Sub(e.since) > giveUp && t.isUnversioned() && t.informer.HasSynced()
}

// arm has the entries swept after a while, unless that is so already.
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

// sweep is called by the timer.
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
	t.armed.Store(false) // before the overlay is looked at: whoever adds to it looks the other way round
	if !t.overlay.empty() && !t.informer.IsStopped() {
		t.setTimer()
	}
}

// settleAll settles what can be settled: a bookmark moves the store's version without an event, and so may a list.
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

// catchUp asks an informer of several namespaces how far it is. Reads do not: they might have to wait for the answer.
func (t *core) catchUp(entries *snapshot) {
	if t.namespaced == nil {
		return
	}
	asked := map[string]bool{}
	for e := range entries.all() {
		if namespace := e.id.Namespace; !asked[namespace] {
			asked[namespace] = true
			t.heard.note(namespace, numeric(t.namespaced.StoreVersion(namespace)), t.namespaces)
		}
	}
}

// within returns a function that reports whether the informer looks at the namespace of an object.
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

// namespaces returns a function that reports whether an informer of several namespaces looks at one of them.
func (t *core) namespaces() func(namespace string) bool {
	set := map[string]bool{}
	for _, namespace := range t.namespaced.Namespaces() {
		set[namespace] = true
	}
	return func(namespace string) bool { return set[namespace] }
}

package ownwrites

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"vedette.dev/cache"
)

// Tracker knows what this program wrote to the objects of one informer. It shows them in Indexer before the informer has heard of
// them, and recognises their events. All its methods may be called by many goroutines, and of a nil Tracker none may.
type Tracker struct {
	config   Config
	informer cache.SharedIndexInformer
	store    cache.Indexer
	view     *view

	overlay *overlay
	entries atomic.Uint64 // how many were made
	memory  *memory
	flights flights
	form    form
	heard   heard
	counts  counts

	// handle is that of the handler that has entries settled.
	handle cache.ResourceEventHandlerRegistration

	mu     sync.Mutex // guards what follows, and is held while sweeping
	closed atomic.Bool
	timer  *time.Timer    // nil while the overlay is empty
	armed  atomic.Bool    // whether there is a timer, to be read without the lock
	swept  sync.WaitGroup // counts the timer
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
	t := &Tracker{
		config:   config,
		informer: informer,
		store:    informer.GetIndexer(),
		overlay:  newOverlay(),
		memory:   newMemory(config.Remember),
	}
	t.view = &view{t: t, store: t.store}
	t.form.learn(config.Object)
	t.form.fixed = config.Transform != nil // the store's objects are what became of others
	handle, err := informer.AddEventHandlerWithResyncPeriod(settler{t}, 0)
	if err != nil {
		return nil, err
	}
	t.handle = handle
	return t, nil
}

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
type settler struct{ t *Tracker }

func (s settler) OnAdd(obj any, _ bool)  { s.t.hear(obj) }
func (s settler) OnUpdate(_, newObj any) { s.t.hear(newObj) }
func (s settler) OnDelete(obj any)       { s.t.hear(obj) }

func (t *Tracker) hear(obj any) {
	name, m := identify(obj)
	if name == (cache.ObjectName{}) {
		return
	}
	if m != nil {
		t.form.learn(obj)
		if t.store.LastStoreSyncResourceVersion() == "" {
			t.heard.note(name.Namespace, versionOf(m), t.within)
		}
	}
	if !t.overlay.empty() {
		t.settle(name)
	}
}

// settle takes out the entry under a name if the store has caught up with it.
func (t *Tracker) settle(name cache.ObjectName) {
	e := t.overlay.get(name)
	if e == nil || !t.isSettled(e) {
		return
	}
	_, after := t.overlay.change(name, func(old *entry) *entry {
		if old == e {
			return nil
		}
		return old
	})
	if after == nil {
		t.counts.settled.Add(1)
	}
}

func (t *Tracker) isSettled(e *entry) bool {
	version := t.storeVersion(e.name)
	now := time.Now()
	if e.settled(version, t.held(e.key), now) {
		return true
	}
	return now.Sub(e.since) > giveUp && t.store.LastStoreSyncResourceVersion() == "" && t.informer.HasSynced()
}

// arm has the entries swept after a while, unless that is so already.
func (t *Tracker) arm() {
	if t.armed.Load() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer == nil && !t.closed.Load() {
		t.setTimer()
	}
}

func (t *Tracker) setTimer() {
	t.swept.Add(1)
	t.armed.Store(true)
	t.timer = time.AfterFunc(t.config.Sweep, t.sweep)
}

// sweep is called by the timer.
func (t *Tracker) sweep() {
	defer t.swept.Done()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer = nil
	if t.closed.Load() {
		return
	}
	t.settleAll()
	t.armed.Store(false) // before the overlay is looked at: whoever adds to it looks the other way round
	if !t.overlay.empty() && !t.informer.IsStopped() {
		t.setTimer()
	}
}

// settleAll settles what can be settled: a bookmark moves the store's version without an event, and so may a list.
func (t *Tracker) settleAll() {
	within := t.within()
	entries := t.overlay.snapshot()
	t.catchUp(entries)
	for e := range entries.all() {
		if within(e.name.Namespace) {
			t.settle(e.name)
		} else {
			t.overlay.change(e.name, func(*entry) *entry { return nil })
		}
	}
}

// catchUp asks an informer of several namespaces how far it is. Reads do not: they might have to wait for the answer.
func (t *Tracker) catchUp(entries *snapshot) {
	some, ok := t.informer.(interface{ StoreVersion(namespace string) string })
	if !ok {
		return
	}
	asked := map[string]bool{}
	for e := range entries.all() {
		if namespace := e.name.Namespace; !asked[namespace] {
			asked[namespace] = true
			t.heard.note(namespace, numeric(some.StoreVersion(namespace)), t.within)
		}
	}
}

// within tells which namespaces the informer looks at.
func (t *Tracker) within() func(namespace string) bool {
	some, ok := t.informer.(interface{ Namespaces() []string })
	if !ok {
		return func(string) bool { return true }
	}
	set := map[string]bool{}
	for _, namespace := range some.Namespaces() {
		set[namespace] = true
	}
	return func(namespace string) bool { return set[namespace] }
}

// Package synctrack reports when a controller has processed everything in the initial list of its informer.
//
//   - AsyncTracker is for keys that several workers process in any order.
//   - SingleFileTracker is for events that are processed one after the other.
//   - Lazy computes a value when it is needed, and again after Notify.
//
// Both trackers are cache.DoneCheckers. UpstreamHasSynced marks the initial list as complete; it must not be called
// before Start was called for all of it.
package synctrack

import "sync"

// signal is a channel that is closed once.
type signal struct {
	once sync.Once
	done chan struct{}
}

func newSignal() signal { return signal{done: make(chan struct{})} }

func (s *signal) give() { s.once.Do(func() { close(s.done) }) }

func (s *signal) given() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// AsyncTracker tracks keys that workers process in any order.
type AsyncTracker[T comparable] struct {
	name   string
	synced signal

	mu       sync.Mutex
	upstream bool
	waiting  map[T]struct{}
}

// NewAsyncTracker returns a tracker that waits for UpstreamHasSynced.
func NewAsyncTracker[T comparable](name string) *AsyncTracker[T] {
	return &AsyncTracker[T]{name: name, synced: newSignal(), waiting: map[T]struct{}{}}
}

// Start is called for each key of the initial list before it is processed.
func (t *AsyncTracker[T]) Start(key T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting[key] = struct{}{}
}

// Finished is called when a key was processed. It may be called for keys that were never started.
func (t *AsyncTracker[T]) Finished(key T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.waiting, key)
	t.check()
}

// UpstreamHasSynced is called when Start was called for the whole initial list.
func (t *AsyncTracker[T]) UpstreamHasSynced() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.upstream = true
	t.check()
}

func (t *AsyncTracker[T]) check() {
	if t.upstream && len(t.waiting) == 0 {
		t.synced.give()
	}
}

// HasSynced reports whether the whole initial list was processed. It stays true.
func (t *AsyncTracker[T]) HasSynced() bool { return t.synced.given() }

// Done returns a channel that is closed when HasSynced becomes true.
func (t *AsyncTracker[T]) Done() <-chan struct{} { return t.synced.done }

// Name returns the argument of NewAsyncTracker.
func (t *AsyncTracker[T]) Name() string { return t.name }

// SingleFileTracker tracks events that are processed one after the other.
type SingleFileTracker struct {
	name   string
	synced signal

	mu       sync.Mutex
	upstream bool
	started  int
}

// NewSingleFileTracker returns a tracker that waits for UpstreamHasSynced.
func NewSingleFileTracker(name string) *SingleFileTracker {
	return &SingleFileTracker{name: name, synced: newSignal()}
}

// Start is called for each event of the initial list before it is processed.
func (t *SingleFileTracker) Start() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.started++
}

// Finished is called when an event was processed. It panics if it is called more often than Start.
func (t *SingleFileTracker) Finished() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.started--; t.started < 0 {
		panic("synctrack: negative counter; this logic error means HasSynced may return incorrect value")
	}
	t.check()
}

// UpstreamHasSynced is called when Start was called for the whole initial list.
func (t *SingleFileTracker) UpstreamHasSynced() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.upstream = true
	t.check()
}

func (t *SingleFileTracker) check() {
	if t.upstream && t.started == 0 {
		t.synced.give()
	}
}

// HasSynced reports whether the whole initial list was processed. It stays true.
func (t *SingleFileTracker) HasSynced() bool { return t.synced.given() }

// Done returns a channel that is closed when HasSynced becomes true.
func (t *SingleFileTracker) Done() <-chan struct{} { return t.synced.done }

// Name returns the argument of NewSingleFileTracker.
func (t *SingleFileTracker) Name() string { return t.name }

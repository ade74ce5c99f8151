package cache

import "sync"

// gate is what all queues have in common: the lock, who waits for something to come, and whether the first list was
// handed out.
type gate struct {
	name string
	mu   sync.Mutex
	some *sync.Cond // something was queued, or the queue was closed

	closed bool
	// populated is set by the first call of any kind that writes.
	populated bool
	// initial is how many items of the first list were not handed out yet.
	// Invariant: synced is closed if and only if populated is set and initial is 0.
	initial int
	synced  chan struct{}
}

// init makes a gate ready, where it lies.
func (g *gate) init(name string) {
	g.name = name
	g.some = sync.NewCond(&g.mu)
	g.synced = make(chan struct{})
}

// Close lets Pop return when nothing is left.
func (g *gate) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	g.some.Broadcast()
}

// IsClosed tells whether Close was called.
func (g *gate) IsClosed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

// HasSynced tells whether what the first Replace brought was handed out. If anything else was called before, it is true
// from then on.
//
// It waits for the lock: where items are processed under it, they are in place when HasSynced returns true.
func (g *gate) HasSynced() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.isSynced()
}

func (g *gate) isSynced() bool { return g.populated && g.initial == 0 }

// HasSyncedChecker is HasSynced to wait for.
func (g *gate) HasSyncedChecker() DoneChecker { return g }

// Name is the name of the queue.
func (g *gate) Name() string { return g.name }

// Done is closed when HasSynced becomes true.
func (g *gate) Done() <-chan struct{} { return g.synced }

// populate notes a write; the first one says how many items the first list has.
func (g *gate) populate(initial int) {
	if g.populated {
		return
	}
	g.populated, g.initial = true, initial
	if initial == 0 {
		close(g.synced)
	}
}

// handedOut notes that n more items were handed out, as far as they belong to the first list.
func (g *gate) handedOut(n int) {
	if g.initial == 0 {
		return
	}
	g.initial = max(0, g.initial-n)
	if g.initial == 0 {
		close(g.synced)
	}
}

// wait returns nil when there is something, under the lock.
func (g *gate) wait(length func() int) error {
	for length() == 0 {
		if g.closed {
			return ErrFIFOClosed
		}
		g.some.Wait()
	}
	return nil
}

package cache

import (
	"errors"
	"sync"
)

// ReflectorStore is what a reflector writes to.
type ReflectorStore interface {
	Add(obj interface{}) error
	Update(obj interface{}) error
	Delete(obj interface{}) error
	// Replace puts the list in the place of all there is. The list belongs to the store from then on.
	Replace([]interface{}, string) error
	// Resync asks a queue to hand out again what its consumer knows.
	Resync() error
}

// ReflectorBookmarkStore is a ReflectorStore that wants to know of versions that no object has.
type ReflectorBookmarkStore interface {
	Bookmark(resourceVersion string) error
}

// TransformingStore is a ReflectorStore that changes what it is given. A reflector that must keep objects for a while
// changes them in the same way beforehand.
type TransformingStore interface {
	ReflectorStore
	Transformer() TransformFunc
}

// PopProcessFunc is what Pop calls with what it took out of a queue.
type PopProcessFunc func(obj interface{}, isInInitialList bool) error

// ProcessBatchFunc is what PopBatch calls with deltas of different objects.
type ProcessBatchFunc func(deltas []Delta, isInInitialList bool) error

// Queue is a ReflectorStore that hands out what was written to it. It is meant for one consumer.
type Queue interface {
	ReflectorStore

	// Pop waits until there is something, takes it out, calls the function with it, and returns both it and the error of
	// the function. After Close, when nothing is left, it returns ErrFIFOClosed.
	Pop(PopProcessFunc) (interface{}, error)
	// HasSynced reports whether what the first Replace brought was handed out. If anything else was called before, it is true
	// from then on.
	HasSynced() bool
	// HasSyncedChecker returns a DoneChecker whose Done channel is closed when HasSynced becomes true.
	HasSyncedChecker() DoneChecker
	// Close lets Pop return when nothing is left.
	Close()
}

// QueueWithBatch is a Queue that can hand out several deltas at once.
type QueueWithBatch interface {
	Queue

	// PopBatch waits until there is something, and calls one of the functions: processBatch if there are several deltas that
	// can be taken together, of as many objects, and else processSingle, as Pop would.
	PopBatch(processBatch ProcessBatchFunc, processSingle PopProcessFunc) error
}

// ErrFIFOClosed is returned by Pop when a queue is closed and empty.
var ErrFIFOClosed = errors.New("DeltaFIFO: manipulating with closed queue")

// ErrRequeue is returned by a PopProcessFunc to have what it was given put back, unless something newer is queued. Pop
// returns Err.
type ErrRequeue struct {
	Err error
}

func (e ErrRequeue) Error() string {
	if e.Err == nil {
		return "the popped item should be requeued without returning an error"
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e ErrRequeue) Unwrap() error { return e.Err }

// Pop takes the next item out of a queue and returns it. It is meant for tests.
func Pop(queue Queue) interface{} {
	var result interface{}
	// A closed queue has no next item, and the result stays nil.
	_, _ = queue.Pop(func(obj interface{}, _ bool) error {
		result = obj
		return nil
	})
	return result
}

// KeyLister lists keys.
type KeyLister interface {
	ListKeys() []string
}

// KeyGetter finds objects by their keys.
type KeyGetter interface {
	GetByKey(key string) (value interface{}, exists bool, err error)
}

// KeyListerGetter is how a queue asks what its consumer knows.
type KeyListerGetter interface {
	KeyLister
	KeyGetter
}

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

// IsClosed reports whether Close was called.
func (g *gate) IsClosed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

// HasSynced reports whether what the first Replace brought was handed out. If anything else was called before, it is true
// from then on.
//
// It waits for the lock: where items are processed under it, they are in place when HasSynced returns true.
func (g *gate) HasSynced() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.isSynced()
}

func (g *gate) isSynced() bool { return g.populated && g.initial == 0 }

// HasSyncedChecker returns a DoneChecker whose Done channel is closed when HasSynced becomes true.
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

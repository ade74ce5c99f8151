package cache

import (
	"errors"
	"sync"
)

// ReflectorStore is the destination of a reflector.
type ReflectorStore interface {
	Add(obj interface{}) error
	Update(obj interface{}) error
	Delete(obj interface{}) error
	// Replace replaces the contents with the list, which belongs to the store from then on.
	Replace([]interface{}, string) error
	// Resync makes a queue return the objects of its consumer again.
	Resync() error
}

// ReflectorBookmarkStore is a [ReflectorStore] that also receives the versions of bookmarks.
type ReflectorBookmarkStore interface {
	Bookmark(resourceVersion string) error
}

// TransformingStore is a [ReflectorStore] that transforms objects. A reflector that has to keep objects for a while
// transforms them beforehand.
type TransformingStore interface {
	ReflectorStore
	Transformer() TransformFunc
}

// PopProcessFunc is called by Pop with an item of a queue.
type PopProcessFunc func(obj interface{}, isInInitialList bool) error

// ProcessBatchFunc is called by PopBatch with deltas of different objects.
type ProcessBatchFunc func(deltas []Delta, isInInitialList bool) error

// Queue is a [ReflectorStore] that returns what was written to it. It is meant for one consumer.
type Queue interface {
	ReflectorStore

	// Pop waits until the queue is not empty, removes an item, calls the function with it, and returns the item and the
	// error of the function. When the queue is closed and empty, it returns ErrFIFOClosed.
	Pop(PopProcessFunc) (interface{}, error)
	// HasSynced reports whether all items of the first Replace were returned. If anything else was called before, it is
	// true from then on.
	HasSynced() bool
	// HasSyncedChecker returns a DoneChecker whose Done channel is closed when HasSynced becomes true.
	HasSyncedChecker() DoneChecker
	// Close makes Pop return when the queue is empty.
	Close()
}

// QueueWithBatch is a [Queue] that can return several deltas at once.
type QueueWithBatch interface {
	Queue

	// PopBatch waits until the queue is not empty, and calls one of the functions: processBatch if there are several
	// deltas of different objects, otherwise processSingle, as Pop would.
	PopBatch(processBatch ProcessBatchFunc, processSingle PopProcessFunc) error
}

// ErrFIFOClosed is returned by Pop when a queue is closed and empty.
var ErrFIFOClosed = errors.New("DeltaFIFO: manipulating with closed queue")

// ErrRequeue is returned by a [PopProcessFunc] to requeue the item, unless something newer is queued. Pop returns Err.
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

// Pop removes the next item of a queue and returns it. It is meant for tests.
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

// KeyGetter returns objects by key.
type KeyGetter interface {
	GetByKey(key string) (value interface{}, exists bool, err error)
}

// KeyListerGetter gives a queue access to the objects of its consumer.
type KeyListerGetter interface {
	KeyLister
	KeyGetter
}

// gate is the common part of all queues: the lock, waiting for items, and whether the initial list was returned.
type gate struct {
	name string
	mu   sync.Mutex
	some *sync.Cond // something was queued, or the queue was closed

	closed bool
	// populated is set by the first call of any kind that writes.
	populated bool
	// initial is the number of items of the initial list that were not returned yet. Invariant: synced is closed if and
	// only if populated is set and initial is 0.
	initial int
	synced  chan struct{}
}

// init initializes a gate in place.
func (g *gate) init(name string) {
	g.name = name
	g.some = sync.NewCond(&g.mu)
	g.synced = make(chan struct{})
}

// Close makes Pop return when the queue is empty.
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

// HasSynced reports whether all items of the first Replace were returned. If anything else was called before, it is
// true from then on.
//
// It takes the lock: if items are processed under it, that is done when HasSynced returns true.
func (g *gate) HasSynced() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.isSynced()
}

func (g *gate) isSynced() bool { return g.populated && g.initial == 0 }

// HasSyncedChecker returns a DoneChecker whose Done channel is closed when HasSynced becomes true.
func (g *gate) HasSyncedChecker() DoneChecker { return g }

// Name returns the name of the queue.
func (g *gate) Name() string { return g.name }

// Done returns a channel that is closed when HasSynced becomes true.
func (g *gate) Done() <-chan struct{} { return g.synced }

// populate records a write; the first one has the number of items of the initial list.
func (g *gate) populate(initial int) {
	if g.populated {
		return
	}
	g.populated, g.initial = true, initial
	if initial == 0 {
		close(g.synced)
	}
}

// handedOut records that n more items were returned, as far as they belong to the initial list.
func (g *gate) handedOut(n int) {
	if g.initial == 0 {
		return
	}
	g.initial = max(0, g.initial-n)
	if g.initial == 0 {
		close(g.synced)
	}
}

// wait returns nil when the queue is not empty. It is called under the lock.
func (g *gate) wait(length func() int) error {
	for length() == 0 {
		if g.closed {
			return ErrFIFOClosed
		}
		g.some.Wait()
	}
	return nil
}

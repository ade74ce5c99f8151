package cache

import "errors"

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

// frameTaker is a ReflectorStore that takes changes before they are decoded. What it is given is good until it returns.
type frameTaker interface {
	take(e *event) error
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
	// HasSynced tells whether what the first Replace brought was handed out. If anything else was called before, it is true
	// from then on.
	HasSynced() bool
	// HasSyncedChecker is HasSynced to wait for.
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

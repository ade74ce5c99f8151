package cache

import (
	"fmt"
	"sync"

	"github.com/go-logr/logr"

	"vedette.dev/internal/shrink"
)

// DeltaFIFOOptions configures a DeltaFIFO. The zero value works.
type DeltaFIFOOptions struct {
	// Logger is told of known objects that cannot be found. Nil means silent.
	Logger *logr.Logger
	// Name is what Name returns, "DeltaFIFO" if empty.
	Name string
	// KeyFunction makes the keys. Nil means MetaNamespaceKeyFunc.
	KeyFunction KeyFunc
	// KnownObjects is what the consumer keeps: Replace finds in it what was deleted, Resync what to hand out again. Nil
	// means that it keeps nothing. It is asked under the lock of the queue, and must not call the queue.
	KnownObjects KeyListerGetter
	// EmitDeltaTypeReplaced has Replace queue Replaced deltas. Without it they are Sync deltas, as they once were.
	EmitDeltaTypeReplaced bool
	// Transformer changes objects before they are queued. It is called by the goroutine that calls the queue, without a lock.
	Transformer TransformFunc
	// MaxPending makes Add, Update, Delete, Replace and Resync wait while so many deltas are queued, until some were taken
	// or the queue is closed; then they go on, so that nothing is dropped. What Replace and Resync bring is queued as a
	// whole. Zero means that nobody waits. Not in client-go.
	MaxPending int
}

// DeltaFIFO is a queue of what happened to objects. It hands out keys in the order in which they first changed, each
// with all that happened to it since it was last handed out.
//
// Nothing is left out but a deletion that follows a deletion: of the two the one that knows the last state stays, and of
// equals the older.
type DeltaFIFO struct {
	gate
	room *sync.Cond // deltas were taken, or the queue was closed

	// Invariant: a key is in items if and only if it is in queue, once, and has at least one delta.
	items shrink.StringMap[*pending]
	queue line[*pending]
	count int // Invariant: the number of deltas in items

	keyFunc     KeyFunc
	known       KeyListerGetter
	listed      DeltaType // what Replace queues
	transformer TransformFunc
	maxPending  int
	logger      logr.Logger
}

var (
	_ Queue                  = (*DeltaFIFO)(nil)
	_ TransformingStore      = (*DeltaFIFO)(nil)
	_ ReflectorBookmarkStore = (*DeltaFIFO)(nil)
	_ DoneChecker            = (*DeltaFIFO)(nil)
)

// NewDeltaFIFO returns a DeltaFIFO whose Replace queues Sync deltas.
func NewDeltaFIFO(keyFunc KeyFunc, knownObjects KeyListerGetter) *DeltaFIFO {
	return NewDeltaFIFOWithOptions(DeltaFIFOOptions{KeyFunction: keyFunc, KnownObjects: knownObjects})
}

// NewDeltaFIFOWithOptions returns a DeltaFIFO.
func NewDeltaFIFOWithOptions(opts DeltaFIFOOptions) *DeltaFIFO {
	if opts.MaxPending < 0 {
		panic(fmt.Sprintf("cache: DeltaFIFOOptions.MaxPending is %d, want 0 or more", opts.MaxPending))
	}
	f := &DeltaFIFO{
		keyFunc:     opts.KeyFunction,
		known:       opts.KnownObjects,
		listed:      Sync,
		transformer: opts.Transformer,
		maxPending:  opts.MaxPending,
		logger:      loggerFrom(opts.Logger),
	}
	if f.keyFunc == nil {
		f.keyFunc = MetaNamespaceKeyFunc
	}
	if opts.EmitDeltaTypeReplaced {
		f.listed = Replaced
	}
	name := opts.Name
	if name == "" {
		name = "DeltaFIFO"
	}
	f.init(name)
	f.room = sync.NewCond(&f.mu)
	return f
}

func loggerFrom(l *logr.Logger) logr.Logger {
	if l == nil {
		return logr.Discard()
	}
	return *l
}

// KeyOf returns the key of an object, of a tombstone, or of Deltas.
func (f *DeltaFIFO) KeyOf(obj interface{}) (string, error) {
	if d, ok := obj.(Delta); ok {
		return f.keyFunc(d)
	}
	return deltaKey(f.keyFunc, obj)
}

// Transformer returns the function that changes objects before they are queued.
func (f *DeltaFIFO) Transformer() TransformFunc { return f.transformer }

// Close releases all who wait. What is queued is still handed out.
func (f *DeltaFIFO) Close() {
	f.gate.Close()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.room.Broadcast()
}

// waitForRoom is called under the lock before something is queued.
func (f *DeltaFIFO) waitForRoom() {
	for f.maxPending > 0 && f.count >= f.maxPending && !f.closed {
		f.room.Wait()
	}
}

package cache

import "github.com/go-logr/logr"

// RealFIFOOptions configures a RealFIFO. Without AtomicEvents it needs KnownObjects.
type RealFIFOOptions struct {
	// Logger is told of known objects that cannot be found. Nil means silent.
	Logger *logr.Logger
	// Name is what Name returns, unless the Identifier has a name; "RealFIFO" if empty.
	Name string
	// KeyFunction makes the keys. Nil means MetaNamespaceKeyFunc.
	KeyFunction KeyFunc
	// KnownObjects is what the consumer keeps: Replace finds in it what was deleted, Resync what to hand out again. It must
	// be nil with AtomicEvents, and must not be nil without. It is asked under the lock of the queue, and must not call the
	// queue.
	KnownObjects KeyListerGetter
	// Transformer changes objects before they are queued. It is called by the goroutine that calls the queue, without a lock.
	Transformer TransformFunc
	// AtomicEvents makes one delta of a Replace and one of a Resync. The consumer finds out what they mean.
	AtomicEvents bool
	// UnlockWhileProcessing lets others queue while deltas are processed, unless the queue is long. It needs AtomicEvents.
	UnlockWhileProcessing bool
	// Identifier and MetricsProvider say what the queue is counted as, and where.
	Identifier      InformerNameAndResource
	MetricsProvider InformerMetricsProvider
	// EmitDeltaTypeBookmark has Bookmark queue a delta. It needs AtomicEvents.
	EmitDeltaTypeBookmark bool
}

// validate panics as client-go does: a wrong combination is a mistake in the program.
func (o *RealFIFOOptions) validate() {
	switch {
	case o.AtomicEvents && o.KnownObjects != nil:
		panic("coding error: knownObjects must not be provided when AtomicEvents is true")
	case !o.AtomicEvents && o.UnlockWhileProcessing:
		panic("coding error: UnlockWhileProcessing must be false when AtomicEvents is false")
	case !o.AtomicEvents && o.KnownObjects == nil:
		panic("coding error: knownObjects must be provided when AtomicEvents is false")
	case !o.AtomicEvents && o.EmitDeltaTypeBookmark:
		panic("coding error: EmitDeltaTypeBookmark must be false when AtomicEvents is false")
	}
}

// RealFIFO is a queue of everything that happened, in the order in which it did, across all objects. Nothing is merged.
type RealFIFO struct {
	gate
	items line[Delta]

	keyFunc               KeyFunc
	known                 KeyListerGetter
	transformer           TransformFunc
	atomicEvents          bool
	bookmarks             bool
	unlockWhileProcessing bool
	batchSize             int
	logger                logr.Logger
	queued                GaugeMetric     // nil if nobody counts
	latency               HistogramMetric // likewise
}

var (
	_ QueueWithBatch         = (*RealFIFO)(nil)
	_ TransformingStore      = (*RealFIFO)(nil)
	_ ReflectorBookmarkStore = (*RealFIFO)(nil)
	_ DoneChecker            = (*RealFIFO)(nil)
)

// defaultBatchSize is the most that PopBatch takes at once.
const defaultBatchSize = 1000

// NewRealFIFO returns a RealFIFO without AtomicEvents.
func NewRealFIFO(keyFunc KeyFunc, knownObjects KeyListerGetter, transformer TransformFunc) *RealFIFO {
	return NewRealFIFOWithOptions(RealFIFOOptions{KeyFunction: keyFunc, KnownObjects: knownObjects, Transformer: transformer})
}

// NewRealFIFOWithOptions returns a RealFIFO. It panics if the options contradict each other.
func NewRealFIFOWithOptions(opts RealFIFOOptions) *RealFIFO {
	opts.validate()
	f := &RealFIFO{
		keyFunc:               opts.KeyFunction,
		known:                 opts.KnownObjects,
		transformer:           opts.Transformer,
		atomicEvents:          opts.AtomicEvents,
		bookmarks:             opts.EmitDeltaTypeBookmark,
		unlockWhileProcessing: opts.UnlockWhileProcessing,
		batchSize:             defaultBatchSize,
		logger:                loggerFrom(opts.Logger),
	}
	if f.keyFunc == nil {
		f.keyFunc = MetaNamespaceKeyFunc
	}
	if p := opts.MetricsProvider; p != nil && opts.Identifier.Reserved() {
		f.queued = p.NewQueuedItemMetric(opts.Identifier)
		f.latency = p.NewProcessingLatencyMetric(opts.Identifier)
	}
	f.init(firstNonEmpty(opts.Identifier.Name(), opts.Name, "RealFIFO"))
	return f
}

func firstNonEmpty(names ...string) string {
	for _, name := range names {
		if name != "" {
			return name
		}
	}
	return ""
}

// Transformer returns the function that changes objects before they are queued.
func (f *RealFIFO) Transformer() TransformFunc { return f.transformer }

// Add queues an Added delta.
func (f *RealFIFO) Add(obj interface{}) error { return f.write(Added, obj) }

// Update queues an Updated delta.
func (f *RealFIFO) Update(obj interface{}) error { return f.write(Updated, obj) }

// Delete queues a Deleted delta.
func (f *RealFIFO) Delete(obj interface{}) error { return f.write(Deleted, obj) }

func (f *RealFIFO) write(what DeltaType, obj any) error {
	obj, err := f.admit(obj)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.populate(0)
	if err == nil {
		f.push(what, obj)
	}
	return err
}

// admit returns what is to be queued of an object that has a key. It is called without the lock.
func (f *RealFIFO) admit(obj any) (any, error) {
	if _, err := deltaKey(f.keyFunc, obj); err != nil {
		return nil, KeyError{obj, err}
	}
	return f.transform(obj)
}

// Bookmark queues a Bookmark delta, if the options say so.
func (f *RealFIFO) Bookmark(resourceVersion string) error {
	if !f.bookmarks {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.push(Bookmark, BookmarkInfo{ResourceVersion: resourceVersion})
	return nil
}

func (f *RealFIFO) transform(obj any) (any, error) {
	if _, tombstone := obj.(DeletedFinalStateUnknown); tombstone || f.transformer == nil {
		return obj, nil
	}
	return f.transformer(obj)
}

func (f *RealFIFO) push(what DeltaType, obj any) {
	f.items.push(Delta{what, obj})
	f.some.Broadcast()
	f.count()
}

func (f *RealFIFO) count() {
	if f.queued != nil {
		f.queued.Set(float64(f.items.len()))
	}
}

package cache

import (
	"fmt"
	"time"

	"github.com/go-logr/logr"

	"vedette.dev/internal/shrink"
)

// RealFIFOOptions configures a [RealFIFO]. Without AtomicEvents it needs KnownObjects.
type RealFIFOOptions struct {
	// Logger receives errors about known objects that cannot be found. Nil means none.
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
	// Identifier and MetricsProvider are for the metrics of the queue.
	Identifier      InformerNameAndResource
	MetricsProvider InformerMetricsProvider
	// EmitDeltaTypeBookmark makes Bookmark queue a delta. It needs AtomicEvents.
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

// RealFIFO is a queue of all events, in order, across all objects. Nothing is coalesced.
type RealFIFO struct {
	gate
	items shrink.Queue[Delta]

	keyFunc               KeyFunc
	known                 KeyListerGetter
	transformer           TransformFunc
	atomicEvents          bool
	bookmarks             bool
	unlockWhileProcessing bool
	batchSize             int
	logger                logr.Logger
	queued                GaugeMetric     // nil without metrics
	latency               HistogramMetric // likewise
}

var (
	_ QueueWithBatch         = (*RealFIFO)(nil)
	_ TransformingStore      = (*RealFIFO)(nil)
	_ ReflectorBookmarkStore = (*RealFIFO)(nil)
	_ DoneChecker            = (*RealFIFO)(nil)
)

// defaultBatchSize is the maximum size of a batch of PopBatch.
const defaultBatchSize = 1000

// NewRealFIFO returns a [RealFIFO] without AtomicEvents.
func NewRealFIFO(keyFunc KeyFunc, knownObjects KeyListerGetter, transformer TransformFunc) *RealFIFO {
	return NewRealFIFOWithOptions(RealFIFOOptions{KeyFunction: keyFunc, KnownObjects: knownObjects, Transformer: transformer})
}

// NewRealFIFOWithOptions returns a [RealFIFO]. It panics if the options are contradictory.
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

// Add queues an [Added] delta.
func (f *RealFIFO) Add(obj interface{}) error { return f.write(Added, obj) }

// Update queues an [Updated] delta.
func (f *RealFIFO) Update(obj interface{}) error { return f.write(Updated, obj) }

// Delete queues a [Deleted] delta.
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

// admit returns what to queue for an object that has a key. It is called without the lock.
func (f *RealFIFO) admit(obj any) (any, error) {
	if _, err := deltaKey(f.keyFunc, obj); err != nil {
		return nil, KeyError{obj, err}
	}
	return f.transform(obj)
}

// Bookmark queues a Bookmark delta, if EmitDeltaTypeBookmark is set.
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
	f.items.Push(Delta{what, obj})
	f.some.Broadcast()
	f.count()
}

func (f *RealFIFO) count() {
	if f.queued != nil {
		f.queued.Set(float64(f.items.Len()))
	}
}

// Pop waits until something is queued, takes the first delta out, and calls process with it, as [Deltas] of one.
func (f *RealFIFO) Pop(process PopProcessFunc) (interface{}, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.wait(f.items.Len); err != nil {
		return nil, err
	}
	isInInitialList := !f.isSynced()
	taken := Deltas{f.items.Pop()}
	defer f.handedOut(1) // when it was processed, not before
	f.count()
	return taken, f.unlocked(func() error { return process(taken, isInInitialList) })
}

// PopBatch takes up to 1000 deltas, of as many objects, that can be processed together. It ends a batch before a second
// delta of an object, before one that is about all objects, behind one whose object has no key, and where the first list
// ends. A batch of one goes to processSingle.
func (f *RealFIFO) PopBatch(processBatch ProcessBatchFunc, processSingle PopProcessFunc) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.wait(f.items.Len); err != nil {
		return err
	}
	isInInitialList := !f.isSynced()
	n := f.batchLength()
	deltas := append(make([]Delta, 0, n), f.items.All()[:n]...)
	f.items.Drop(n)
	defer f.handedOut(n)
	f.count()
	if n == 1 {
		return f.unlocked(func() error { return processSingle(Deltas(deltas), isInInitialList) })
	}
	return f.unlocked(func() error { return processBatch(deltas, isInInitialList) })
}

// batchLength is how many deltas the next batch has; at least one.
func (f *RealFIFO) batchLength() int {
	limit := min(f.items.Len(), f.batchSize)
	if f.initial > 0 {
		limit = min(limit, f.initial)
	}
	seen := make(map[string]struct{}, limit)
	for i, d := range f.items.All()[:limit] {
		if !batchable(d.Type) {
			return max(i, 1)
		}
		key, err := deltaKey(f.keyFunc, d)
		if err != nil {
			return i + 1
		}
		if _, dup := seen[key]; dup {
			return i
		}
		seen[key] = struct{}{}
	}
	return limit
}

// batchable reports whether a delta is about one object.
func batchable(t DeltaType) bool {
	switch t {
	case Added, Updated, Deleted, Replaced, Sync:
		return true
	default:
		return false
	}
}

// unlocked calls process, without the lock if that is allowed. If the queue is long, the lock is held, so that writers
// have to wait.
func (f *RealFIFO) unlocked(process func() error) error {
	if f.unlockWhileProcessing && f.items.Len() < 2*f.batchSize {
		f.mu.Unlock()
		defer f.mu.Lock()
	}
	if f.latency == nil {
		return process()
	}
	start := time.Now()
	defer func() { f.latency.Observe(time.Since(start).Seconds()) }()
	return process()
}

// Replace queues one [ReplacedAll] delta if events are atomic. Else it queues deletions of all that is queued or known but
// not in the list, and then the list. If an object has no key or cannot be transformed, nothing is queued.
func (f *RealFIFO) Replace(newItems []interface{}, resourceVersion string) error {
	objs, keys, err := f.prepare(newItems)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.atomicEvents {
		f.push(ReplacedAll, ReplacedAllInfo{ResourceVersion: resourceVersion, Objects: objs})
	} else {
		gone, err := f.missing(keys)
		if err != nil {
			return err
		}
		for _, d := range gone {
			f.push(Deleted, d)
		}
		for _, obj := range objs {
			f.push(Replaced, obj)
		}
	}
	f.populate(f.items.Len())
	return nil
}

// prepare transforms a list, and finds its keys if they are needed, without the lock.
func (f *RealFIFO) prepare(list []any) ([]any, map[string]struct{}, error) {
	keys := map[string]struct{}{}
	if !f.atomicEvents {
		for _, obj := range list {
			key, err := deltaKey(f.keyFunc, obj)
			if err != nil {
				return nil, nil, KeyError{obj, err}
			}
			keys[key] = struct{}{}
		}
	}
	if f.transformer == nil {
		return list, keys, nil
	}
	out := make([]any, len(list))
	for i, obj := range list {
		var err error
		if out[i], err = f.transform(obj); err != nil {
			return nil, nil, fmt.Errorf("couldn't enqueue object: %w", err)
		}
	}
	return out, keys, nil
}

// missing returns a tombstone for each object that is queued, and not as deleted, or known, but not in the list.
func (f *RealFIFO) missing(listed map[string]struct{}) ([]DeletedFinalStateUnknown, error) {
	order, last, err := f.lastQueued()
	if err != nil {
		return nil, err
	}
	var gone []DeletedFinalStateUnknown
	for _, key := range order {
		if _, ok := listed[key]; !ok && last[key].Type != Deleted {
			gone = append(gone, DeletedFinalStateUnknown{key, last[key].Object})
		}
	}
	for _, key := range f.known.ListKeys() {
		if _, ok := listed[key]; ok {
			continue
		}
		if _, ok := last[key]; ok {
			continue
		}
		obj, exists, err := f.known.GetByKey(key)
		if err != nil || !exists {
			f.logger.Info("Known object not found, queueing its deletion without it", "key", key, "err", err)
			obj = nil
		}
		gone = append(gone, DeletedFinalStateUnknown{key, obj})
	}
	return gone, nil
}

// lastQueued returns the keys that are queued in the order of their first deltas, and their last ones.
func (f *RealFIFO) lastQueued() ([]string, map[string]Delta, error) {
	var order []string
	last := map[string]Delta{}
	for _, d := range f.items.All() {
		key, err := deltaKey(f.keyFunc, d)
		if err != nil {
			return nil, nil, KeyError{d.Object, err}
		}
		if _, seen := last[key]; !seen {
			order = append(order, key)
		}
		last[key] = d
	}
	return order, last, nil
}

// Resync queues one [SyncAll] delta if events are atomic, and else a [Sync] delta for each known object of which nothing is
// queued: what is queued is newer.
func (f *RealFIFO) Resync() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.atomicEvents {
		f.push(SyncAll, SyncAllInfo{})
		return nil
	}
	_, queued, err := f.lastQueued()
	if err != nil {
		return err
	}
	for _, key := range f.known.ListKeys() {
		if _, ok := queued[key]; ok {
			continue
		}
		obj, exists, err := f.known.GetByKey(key)
		if err != nil || !exists {
			f.logger.Info("Known object not found, skipping its resync", "key", key, "err", err)
			continue
		}
		if _, err := deltaKey(f.keyFunc, obj); err != nil {
			return fmt.Errorf("couldn't queue object: %w", KeyError{obj, err})
		}
		f.push(Sync, obj)
	}
	return nil
}

package cache

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/go-logr/logr"

	"vedette.dev/internal/shrink"
)

// DeltaFIFOOptions configures a [DeltaFIFO]. The zero value works.
type DeltaFIFOOptions struct {
	// Logger receives errors about known objects that cannot be found. Nil means none.
	Logger *logr.Logger
	// Name is what Name returns, "DeltaFIFO" if empty.
	Name string
	// KeyFunction returns the keys. Nil means MetaNamespaceKeyFunc.
	KeyFunction KeyFunc
	// KnownObjects are the consumer's objects: Replace uses them to detect deletions, Resync to queue them again. Nil
	// means that there are none. It is called under the lock of the queue, and must not call the queue.
	KnownObjects KeyListerGetter
	// EmitDeltaTypeReplaced makes Replace queue Replaced deltas. Otherwise they are Sync deltas, for compatibility.
	EmitDeltaTypeReplaced bool
	// Transformer changes objects before they are queued. It is called by the goroutine that calls the queue, without a lock.
	Transformer TransformFunc
	// MaxPending makes Add, Update, Delete, Replace and Resync block while this many deltas are queued, until some were
	// taken or the queue is closed; nothing is dropped. The deltas of a Replace or Resync are queued as a whole. Zero
	// means no limit. Not in client-go.
	MaxPending int
}

// DeltaFIFO is a queue of changes. It returns keys in the order in which they first changed, each with all its changes
// since it was last returned.
//
// Nothing is coalesced but two successive deletions: the one that knows the last state is kept, otherwise the older.
type DeltaFIFO struct {
	gate
	room *sync.Cond // deltas were taken, or the queue was closed

	// Invariant: a key is in items if and only if it is in queue, once, and has at least one delta.
	items shrink.StringMap[*pending]
	queue shrink.Queue[*pending]
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

// NewDeltaFIFO returns a [DeltaFIFO] whose Replace queues [Sync] deltas.
func NewDeltaFIFO(keyFunc KeyFunc, knownObjects KeyListerGetter) *DeltaFIFO {
	return NewDeltaFIFOWithOptions(DeltaFIFOOptions{KeyFunction: keyFunc, KnownObjects: knownObjects})
}

// NewDeltaFIFOWithOptions returns a [DeltaFIFO].
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

// KeyOf returns the key of an object, of a tombstone, or of [Deltas].
func (f *DeltaFIFO) KeyOf(obj interface{}) (string, error) {
	if d, ok := obj.(Delta); ok {
		return f.keyFunc(d)
	}
	return deltaKey(f.keyFunc, obj)
}

// Transformer returns the function that changes objects before they are queued.
func (f *DeltaFIFO) Transformer() TransformFunc { return f.transformer }

// Close wakes all waiting goroutines. What is queued is still returned.
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

// DeltaType is the type of a change.
type DeltaType string

const (
	Added   DeltaType = "Added"
	Updated DeltaType = "Updated"
	Deleted DeltaType = "Deleted"
	// Replaced is an object in a list: it may be new, changed or unchanged.
	Replaced DeltaType = "Replaced"
	// ReplacedAll has a ReplacedAllInfo: a whole list in one delta.
	ReplacedAll DeltaType = "ReplacedAll"
	// Sync is an object that is queued again without a change.
	Sync DeltaType = "Sync"
	// SyncAll has a SyncAllInfo: all known objects should be processed again.
	SyncAll DeltaType = "SyncAll"
	// Bookmark has a BookmarkInfo: everything up to a version was queued before.
	Bookmark DeltaType = "Bookmark"
)

// Delta is a change of an object, with its state afterwards; for a deletion, the last state before.
type Delta struct {
	Type   DeltaType
	Object interface{}
}

// Deltas are the changes of one object, oldest first.
type Deltas []Delta

// Oldest returns the first delta, or nil if there is none.
func (d Deltas) Oldest() *Delta {
	if len(d) == 0 {
		return nil
	}
	return &d[0]
}

// Newest returns the last delta, or nil if there is none.
func (d Deltas) Newest() *Delta {
	if len(d) == 0 {
		return nil
	}
	return &d[len(d)-1]
}

// DeletedFinalStateUnknown represents an object that was deleted while there was no watch. Obj is the last known state,
// which may be stale, or nil.
type DeletedFinalStateUnknown struct {
	Key string
	Obj interface{}
}

// ReplacedAllInfo is the object of a [ReplacedAll]: the arguments of Replace, transformed.
type ReplacedAllInfo struct {
	ResourceVersion string
	Objects         []interface{}
}

// SyncAllInfo is the object of a [SyncAll].
type SyncAllInfo struct{}

// BookmarkInfo is the object of a Bookmark.
type BookmarkInfo struct {
	ResourceVersion string
}

// ErrZeroLengthDeltasObject is wrapped by the [KeyError] for empty [Deltas].
var ErrZeroLengthDeltasObject = errors.New("0 length Deltas object; can't get key")

// deltaKey returns the key of an object, a tombstone, a Delta or Deltas.
func deltaKey(keyFunc KeyFunc, obj any) (string, error) {
	if d, ok := obj.(Deltas); ok {
		if len(d) == 0 {
			return "", KeyError{obj, ErrZeroLengthDeltasObject}
		}
		obj = d.Newest().Object
	}
	if d, ok := obj.(Delta); ok {
		obj = d.Object
	}
	if d, ok := obj.(DeletedFinalStateUnknown); ok {
		return d.Key, nil
	}
	return keyFunc(obj)
}

// pending is what a DeltaFIFO holds for one key.
type pending struct {
	key    string
	deltas Deltas
	first  [1]Delta // room for the first, as most keys change once before they are handed out
}

func newPending(key string) *pending {
	p := &pending{key: key}
	p.deltas = p.first[:0]
	return p
}

// add appends a delta, or lets it take the place of an equal one. It reports whether there is one delta more.
func (p *pending) add(d Delta) bool {
	if n := len(p.deltas) - 1; n >= 0 && d.Type == Deleted && p.deltas[n].Type == Deleted {
		// Both say the same: the one that knows the last state stays.
		if _, unknown := p.deltas[n].Object.(DeletedFinalStateUnknown); unknown {
			p.deltas[n] = d
		}
		return false
	}
	p.deltas = append(p.deltas, d)
	return true
}

// Add queues an [Added] delta.
func (f *DeltaFIFO) Add(obj interface{}) error { return f.write(Added, obj) }

// Update queues an [Updated] delta.
func (f *DeltaFIFO) Update(obj interface{}) error { return f.write(Updated, obj) }

// Delete queues a [Deleted] delta, unless the key is neither queued nor known: then a Replace has queued its deletion already.
func (f *DeltaFIFO) Delete(obj interface{}) error { return f.write(Deleted, obj) }

// Bookmark does nothing: a [DeltaFIFO] has no version.
func (f *DeltaFIFO) Bookmark(resourceVersion string) error { return nil }

func (f *DeltaFIFO) write(what DeltaType, obj any) error {
	key, err := f.KeyOf(obj)
	if err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		if what != Deleted { // as in client-go, where Delete looks at the key first
			f.populate(0)
		}
		return KeyError{obj, err}
	}
	obj, err = f.transformed(obj)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waitForRoom()
	f.populate(0)
	if what != Deleted || f.exists(key) {
		if err != nil {
			return err
		}
		f.append(key, Delta{what, obj})
	}
	return nil
}

// transformed returns what to queue for an object. It is called without the lock: the transformer may be slow, and may
// call the queue.
func (f *DeltaFIFO) transformed(obj any) (any, error) {
	if _, tombstone := obj.(DeletedFinalStateUnknown); tombstone || f.transformer == nil {
		return obj, nil
	}
	return f.transformer(obj)
}

// exists reports whether a key is queued or known. If it cannot be looked up, the result is true.
func (f *DeltaFIFO) exists(key string) bool {
	if f.items.Get(key) != nil {
		return true
	}
	if f.known == nil {
		return false
	}
	_, exists, err := f.known.GetByKey(key)
	return exists || err != nil
}

// append adds a delta to those of its key.
func (f *DeltaFIFO) append(key string, d Delta) {
	p := f.items.Get(key)
	if p == nil {
		p = newPending(key)
		f.items.Put(key, p)
		f.queue.Push(p)
	}
	if p.add(d) {
		f.count++
	}
	if f.count == 1 { // otherwise waiting goroutines were woken before
		f.some.Broadcast()
	}
}

// Replace queues each object of the list, and a deletion for each key that is queued or known but not in the list. If an
// object has no key or cannot be transformed, nothing is queued.
func (f *DeltaFIFO) Replace(list []interface{}, resourceVersion string) error {
	items, err := f.prepare(list)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waitForRoom()
	listed := make(map[string]struct{}, len(items))
	for _, it := range items {
		listed[it.key] = struct{}{}
		f.append(it.key, Delta{f.listed, it.obj})
	}
	f.populate(len(listed) + f.deleteMissing(listed))
	return nil
}

// listedItem is an object of a list, ready to be queued.
type listedItem struct {
	key string
	obj any
}

// prepare transforms a list and finds its keys, without the lock.
func (f *DeltaFIFO) prepare(list []any) ([]listedItem, error) {
	items := make([]listedItem, len(list))
	for i, obj := range list {
		key, err := f.KeyOf(obj)
		if err != nil {
			return nil, KeyError{obj, err}
		}
		items[i].key = key
		if items[i].obj, err = f.transformed(obj); err != nil {
			return nil, fmt.Errorf("couldn't enqueue object: %w", err)
		}
	}
	return items, nil
}

// deleteMissing queues deletions of what is queued or known but not listed, and returns how many keys that are.
func (f *DeltaFIFO) deleteMissing(listed map[string]struct{}) int {
	missing := 0
	for _, p := range f.queue.All() {
		if _, ok := listed[p.key]; ok {
			continue
		}
		last := p.deltas.Newest().Object
		if d, ok := last.(DeletedFinalStateUnknown); ok {
			last = d.Obj
		}
		missing++
		f.addTombstone(p.key, last)
	}
	if f.known == nil {
		return missing
	}
	for _, key := range f.known.ListKeys() {
		if _, ok := listed[key]; ok || f.items.Get(key) != nil {
			continue
		}
		missing++
		f.addTombstone(key, f.lastKnown(key))
	}
	return missing
}

// addTombstone queues the deletion of an object that is missing in a list.
func (f *DeltaFIFO) addTombstone(key string, last any) {
	f.append(key, Delta{Deleted, DeletedFinalStateUnknown{key, last}})
}

// lastKnown returns the consumer's object for a key, or nil.
func (f *DeltaFIFO) lastKnown(key string) any {
	obj, exists, err := f.known.GetByKey(key)
	if err != nil || !exists {
		f.logger.Info("Known object not found, queueing its deletion without it", "key", key, "err", err)
		return nil
	}
	return obj
}

// Resync queues a [Sync] delta for each known object whose key is not queued: what is queued is newer.
func (f *DeltaFIFO) Resync() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil {
		return nil
	}
	f.waitForRoom()
	for _, key := range f.known.ListKeys() {
		if err := f.resync(key); err != nil {
			return err
		}
	}
	return nil
}

func (f *DeltaFIFO) resync(key string) error {
	obj, exists, err := f.known.GetByKey(key)
	if err != nil || !exists {
		f.logger.Info("Known object not found, skipping its resync", "key", key, "err", err)
		return nil
	}
	id, err := f.KeyOf(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	if f.items.Get(id) != nil {
		return nil
	}
	f.append(id, Delta{Sync, obj})
	return nil
}

// List returns the newest object of each queued key, in the order of the queue.
func (f *DeltaFIFO) List() []interface{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := make([]interface{}, 0, f.queue.Len())
	for _, p := range f.queue.All() {
		list = append(list, p.deltas.Newest().Object)
	}
	return list
}

// ListKeys returns the queued keys, in the order of the queue.
func (f *DeltaFIFO) ListKeys() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	keys := make([]string, 0, f.queue.Len())
	for _, p := range f.queue.All() {
		keys = append(keys, p.key)
	}
	return keys
}

// Get returns the [Deltas] that are queued for the key of an object.
func (f *DeltaFIFO) Get(obj interface{}) (item interface{}, exists bool, err error) {
	key, err := f.KeyOf(obj)
	if err != nil {
		return nil, false, KeyError{obj, err}
	}
	return f.GetByKey(key)
}

// GetByKey returns the [Deltas] that are queued for a key.
func (f *DeltaFIFO) GetByKey(key string) (item interface{}, exists bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.items.Get(key)
	if p == nil {
		return nil, false, nil
	}
	return slices.Clone(p.deltas), true, nil
}

// Pop waits until the queue is not empty, removes the first key, and calls process with its [Deltas], under the lock of
// the queue: nothing is queued until it returns, so that it can update the known objects consistently. It must not call
// the queue. What is left when the queue is closed is still returned.
//
// If process returns an [ErrRequeue], the Deltas are requeued, unless the key was queued again.
func (f *DeltaFIFO) Pop(process PopProcessFunc) (interface{}, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.wait(f.queue.Len); err != nil {
		return nil, err
	}
	isInInitialList := !f.isSynced()
	p := f.queue.Pop()
	f.items.Delete(p.key)
	f.count -= len(p.deltas)
	f.handedOut(1)
	f.room.Broadcast()
	err := process(p.deltas, isInInitialList)
	if again, ok := errors.AsType[ErrRequeue](err); ok {
		f.putBack(p)
		err = again.Err
	}
	return p.deltas, err
}

// putBack requeues what was removed, unless there is something newer. It never blocks: it is called by the consumer.
func (f *DeltaFIFO) putBack(p *pending) {
	if f.items.Get(p.key) != nil {
		return
	}
	f.items.Put(p.key, p)
	f.queue.Push(p)
	f.count += len(p.deltas)
	f.some.Broadcast()
}

// AddIfNotPresent requeues [Deltas] returned by Pop, unless the key was queued again meanwhile. It never blocks.
func (f *DeltaFIFO) AddIfNotPresent(obj interface{}) error {
	deltas, ok := obj.(Deltas)
	if !ok {
		return fmt.Errorf("object must be of type deltas, but got: %#v", obj)
	}
	key, err := f.KeyOf(deltas)
	if err != nil {
		return KeyError{obj, err}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.populate(0)
	f.putBack(&pending{key: key, deltas: deltas})
	return nil
}

package cache

import (
	"fmt"
	"time"
)

// Add queues an Added delta.
func (f *DeltaFIFO) Add(obj interface{}) error { return f.write(Added, obj) }

// Update queues an Updated delta.
func (f *DeltaFIFO) Update(obj interface{}) error { return f.write(Updated, obj) }

// Delete queues a Deleted delta, unless the key is neither queued nor known: then a Replace has told of it already.
func (f *DeltaFIFO) Delete(obj interface{}) error { return f.write(Deleted, obj) }

// Bookmark notes that everything up to a version was queued. It queues nothing.
func (f *DeltaFIFO) Bookmark(resourceVersion string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note(resourceVersion)
	return nil
}

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
	version, versioned := versionOf(obj)
	obj, mark, err := f.transformed(obj)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waitForRoom()
	f.populate(0)
	if what != Deleted || f.exists(key) {
		if err != nil {
			return err
		}
		f.append(key, Delta{what, obj}, mark)
	}
	if versioned {
		f.note(version)
	}
	return nil
}

// transformed returns what is to be queued of an object, and who it was before. It is called without the lock: the transformer
// may be slow, and may ask who uses the queue how things are.
func (f *DeltaFIFO) transformed(obj any) (any, stamp, error) {
	if f.transformer == nil {
		return obj, stamp{}, nil
	}
	mark := stampOf(obj)
	if _, tombstone := obj.(DeletedFinalStateUnknown); tombstone {
		return obj, mark, nil
	}
	obj, err := f.transformer(obj)
	return obj, mark, err
}

// exists tells whether a key is queued or known. One that cannot be looked up may be known.
func (f *DeltaFIFO) exists(key string) bool {
	if f.items.m[key] != nil || f.applying {
		return true // what is being applied may have the key; who applies a deletion of nothing does nothing
	}
	if f.known == nil {
		return false
	}
	_, exists, err := f.known.GetByKey(key)
	return exists || err != nil
}

// note remembers the version of what was queued last.
func (f *DeltaFIFO) note(version string) {
	if !f.marked {
		f.some.Broadcast()
	}
	f.marked = true
	if !f.unversioned {
		f.version = version
	}
}

// append adds a delta to those of its key. The mark counts only if objects are transformed; otherwise they know it.
func (f *DeltaFIFO) append(key string, d Delta, mark stamp) {
	p := f.items.m[key]
	if p == nil {
		p = newPending(key)
		f.items.put(key, p)
		f.queue.push(p)
	}
	if p.add(d, mark, f.transformer != nil) {
		f.count++
	}
	if f.count == 1 { // else those who wait have been told
		if f.timed && f.since.IsZero() {
			f.since = time.Now() // once a batch
		}
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
	f.waitForKnown()
	listed := make(map[string]struct{}, len(items))
	for _, it := range items {
		listed[it.key] = struct{}{}
		f.append(it.key, Delta{f.listed, it.obj}, it.mark)
	}
	deleted := f.deleteMissing(listed, nil)
	f.replaced(resourceVersion, len(listed)+deleted)
	return nil
}

// replaced notes that a whole state was queued, and as how many keys.
func (f *DeltaFIFO) replaced(version string, keys int) {
	f.note(version)
	f.populate(keys)
}

// listedItem is an object of a list, ready to be queued.
type listedItem struct {
	key  string
	obj  any
	mark stamp
	// restores says that the store has the object in the same version, but something has written to it.
	restores bool
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
		if items[i].obj, items[i].mark, err = f.transformed(obj); err != nil {
			return nil, fmt.Errorf("couldn't enqueue object: %w", err)
		}
	}
	return items, nil
}

// deleteMissing queues deletions of what is queued or known but not listed, and returns how many keys that are. Keys that
// are not within the scope of the list are left alone; nil means that all are.
func (f *DeltaFIFO) deleteMissing(listed map[string]struct{}, within func(key string) bool) int {
	missing := 0
	for _, p := range f.queue.all() {
		if _, ok := listed[p.key]; ok || within != nil && !within(p.key) {
			continue
		}
		last := p.deltas.Newest().Object
		if d, ok := last.(DeletedFinalStateUnknown); ok {
			last = d.Obj
		}
		missing++
		f.bury(p.key, last)
	}
	if f.known == nil {
		return missing
	}
	for _, key := range f.known.ListKeys() {
		if _, ok := listed[key]; ok || f.items.m[key] != nil || within != nil && !within(key) {
			continue
		}
		missing++
		f.bury(key, f.lastKnown(key))
	}
	return missing
}

// bury queues the deletion of an object that is known to be gone from its absence.
func (f *DeltaFIFO) bury(key string, last any) {
	f.append(key, Delta{Deleted, DeletedFinalStateUnknown{key, last}}, stamp{})
}

// lastKnown returns what the consumer has under a key, or nil.
func (f *DeltaFIFO) lastKnown(key string) any {
	obj, exists, err := f.known.GetByKey(key)
	if err != nil || !exists {
		f.logger.Info("A known object cannot be found, so its deletion is queued without it", "key", key, "err", err)
		return nil
	}
	return obj
}

// Resync queues a Sync delta for each known object whose key is not queued: what is queued is newer.
func (f *DeltaFIFO) Resync() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil {
		return nil
	}
	f.waitForRoom()
	f.waitForKnown()
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
		f.logger.Info("A known object cannot be found, and is not queued for sync", "key", key, "err", err)
		return nil
	}
	id, err := f.KeyOf(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	if f.items.m[id] != nil {
		return nil
	}
	var mark stamp
	if f.transformer != nil {
		mark = stampOf(obj)
	}
	f.append(id, Delta{Sync, obj}, mark)
	return nil
}

package cache

import "fmt"

// Add queues an Added delta.
func (f *DeltaFIFO) Add(obj interface{}) error { return f.write(Added, obj) }

// Update queues an Updated delta.
func (f *DeltaFIFO) Update(obj interface{}) error { return f.write(Updated, obj) }

// Delete queues a Deleted delta, unless the key is neither queued nor known: then a Replace has told of it already.
func (f *DeltaFIFO) Delete(obj interface{}) error { return f.write(Deleted, obj) }

// Bookmark does nothing: what a DeltaFIFO hands out does not say up to which version everything was queued.
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

// transformed returns what is to be queued of an object. It is called without the lock: the transformer may be slow, and may call
// the queue.
func (f *DeltaFIFO) transformed(obj any) (any, error) {
	if _, tombstone := obj.(DeletedFinalStateUnknown); tombstone || f.transformer == nil {
		return obj, nil
	}
	return f.transformer(obj)
}

// exists tells whether a key is queued or known. One that cannot be looked up may be known.
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
		f.queue.push(p)
	}
	if p.add(d) {
		f.count++
	}
	if f.count == 1 { // else those that wait were woken before
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
	for _, p := range f.queue.all() {
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

// addTombstone queues the deletion of an object that is known to be gone from its absence.
func (f *DeltaFIFO) addTombstone(key string, last any) {
	f.append(key, Delta{Deleted, DeletedFinalStateUnknown{key, last}})
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
	if f.items.Get(id) != nil {
		return nil
	}
	f.append(id, Delta{Sync, obj})
	return nil
}

package cache

import "fmt"

// Replace queues one ReplacedAll delta if events are atomic. Else it queues deletions of all that is queued or known but
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
	f.populate(f.items.len())
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
			f.logger.Info("A known object cannot be found, so its deletion is queued without it", "key", key, "err", err)
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
	for _, d := range f.items.all() {
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

// Resync queues one SyncAll delta if events are atomic, and else a Sync delta for each known object of which nothing is
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
			f.logger.Info("A known object cannot be found, and is not queued for sync", "key", key, "err", err)
			continue
		}
		if _, err := deltaKey(f.keyFunc, obj); err != nil {
			return fmt.Errorf("couldn't queue object: %w", KeyError{obj, err})
		}
		f.push(Sync, obj)
	}
	return nil
}

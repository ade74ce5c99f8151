package cache

import "slices"

// List returns the newest object of each key that is queued, in the order in which they will be handed out.
func (f *DeltaFIFO) List() []interface{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := make([]interface{}, 0, f.queue.len())
	for _, p := range f.queue.all() {
		list = append(list, p.deltas.Newest().Object)
	}
	return list
}

// ListKeys returns the keys that are queued, in the order in which they will be handed out.
func (f *DeltaFIFO) ListKeys() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	keys := make([]string, 0, f.queue.len())
	for _, p := range f.queue.all() {
		keys = append(keys, p.key)
	}
	return keys
}

// Get returns the Deltas that are queued for the key of an object.
func (f *DeltaFIFO) Get(obj interface{}) (item interface{}, exists bool, err error) {
	key, err := f.KeyOf(obj)
	if err != nil {
		return nil, false, KeyError{obj, err}
	}
	return f.GetByKey(key)
}

// GetByKey returns the Deltas that are queued for a key.
func (f *DeltaFIFO) GetByKey(key string) (item interface{}, exists bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.items.Get(key)
	if p == nil {
		return nil, false, nil
	}
	return slices.Clone(p.deltas), true, nil
}

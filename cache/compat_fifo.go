package cache

import (
	"errors"

	"vedette.dev/internal/shrink"
)

// FIFO is a queue that returns the newest state of each object once, in the order in which the objects were first
// added. An object that is deleted while it is queued is not returned.
type FIFO struct {
	gate
	// Invariant: every key in items is in queue. Keys that were deleted may still be in queue.
	items map[string]interface{}
	queue shrink.Queue[string]

	keyFunc KeyFunc
}

var (
	_ Queue       = (*FIFO)(nil)
	_ DoneChecker = (*FIFO)(nil)
)

// NewFIFO returns an empty [FIFO].
func NewFIFO(keyFunc KeyFunc) *FIFO {
	f := &FIFO{items: map[string]interface{}{}, keyFunc: keyFunc}
	f.init("FIFO")
	return f
}

// Add queues an object, or replaces an older state that is queued.
func (f *FIFO) Add(obj interface{}) error { return f.add(obj, true) }

// Update does the same as Add.
func (f *FIFO) Update(obj interface{}) error { return f.add(obj, true) }

// AddIfNotPresent requeues what Pop returned, unless the object was queued again meanwhile.
func (f *FIFO) AddIfNotPresent(obj interface{}) error { return f.add(obj, false) }

func (f *FIFO) add(obj any, overwrite bool) error {
	key, err := f.keyFunc(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.populate(0)
	f.put(key, obj, overwrite)
	return nil
}

func (f *FIFO) put(key string, obj any, overwrite bool) {
	_, queued := f.items[key]
	if queued && !overwrite {
		return
	}
	if !queued {
		f.queue.Push(key)
	}
	f.items[key] = obj
	f.some.Broadcast()
}

// Delete removes an object from the queue.
func (f *FIFO) Delete(obj interface{}) error {
	key, err := f.keyFunc(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.populate(0)
	delete(f.items, key)
	return nil
}

// Pop waits until something is queued, takes it out, and calls process with it, under the lock of the queue. If process
// returns an [ErrRequeue], it is put back.
func (f *FIFO) Pop(process PopProcessFunc) (interface{}, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		if err := f.wait(f.queue.Len); err != nil {
			return nil, err
		}
		isInInitialList := !f.isSynced()
		key := f.queue.Pop()
		item, ok := f.items[key]
		if !ok { // deleted
			f.handedOut(1)
			continue
		}
		delete(f.items, key)
		defer f.handedOut(1) // when it was processed, not before
		err := process(item, isInInitialList)
		if again, ok := errors.AsType[ErrRequeue](err); ok {
			f.put(key, item, false)
			err = again.Err
		}
		return item, err
	}
}

// Replace replaces the contents of the queue with the list.
func (f *FIFO) Replace(list []interface{}, resourceVersion string) error {
	items := make(map[string]interface{}, len(list))
	var queue shrink.Queue[string]
	for _, obj := range list {
		key, err := f.keyFunc(obj)
		if err != nil {
			return KeyError{obj, err}
		}
		if _, dup := items[key]; !dup {
			queue.Push(key)
		}
		items[key] = obj
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.populate(len(items))
	f.items, f.queue = items, queue
	f.some.Broadcast()
	return nil
}

// Resync does nothing: every object is queued already.
func (f *FIFO) Resync() error { return nil }

// List returns the objects that are queued.
func (f *FIFO) List() []interface{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := make([]interface{}, 0, len(f.items))
	for _, obj := range f.items {
		list = append(list, obj)
	}
	return list
}

// ListKeys returns the keys that are queued.
func (f *FIFO) ListKeys() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	keys := make([]string, 0, len(f.items))
	for key := range f.items {
		keys = append(keys, key)
	}
	return keys
}

// Get returns what is queued under the key of an object.
func (f *FIFO) Get(obj interface{}) (item interface{}, exists bool, err error) {
	key, err := f.keyFunc(obj)
	if err != nil {
		return nil, false, KeyError{obj, err}
	}
	return f.GetByKey(key)
}

// GetByKey returns what is queued under a key.
func (f *FIFO) GetByKey(key string) (item interface{}, exists bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	item, exists = f.items[key]
	return item, exists, nil
}

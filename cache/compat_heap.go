package cache

import (
	"container/heap"
	"errors"
	"sync"
)

// LessFunc reports whether the first object leaves a [Heap] before the second.
type LessFunc func(interface{}, interface{}) bool

// Heap is a priority queue ordered by a [LessFunc]. An object that is added again replaces the one with its key.
type Heap struct {
	mu     sync.Mutex
	some   *sync.Cond // an object was added, or the heap was closed
	closed bool

	data *heapData
}

var (
	errHeapClosed   = errors.New("heap is closed")
	errHeapNotFound = errors.New("object not found")
)

// NewHeap returns an empty [Heap].
func NewHeap(keyFn KeyFunc, lessFn LessFunc) *Heap {
	h := &Heap{data: &heapData{items: map[string]*heapItem{}, keyFunc: keyFn, less: lessFn}}
	h.some = sync.NewCond(&h.mu)
	return h
}

// Close makes Pop return when the heap is empty, and rejects further additions.
func (h *Heap) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	h.some.Broadcast()
}

// IsClosed reports whether Close was called.
func (h *Heap) IsClosed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closed
}

// Add adds an object, and replaces the one with its key.
func (h *Heap) Add(obj interface{}) error { return h.add([]any{obj}, true) }

// Update does the same as Add.
func (h *Heap) Update(obj interface{}) error { return h.add([]any{obj}, true) }

// BulkAdd adds objects before a waiting Pop returns the first of them. If one has no key, those before it were added.
func (h *Heap) BulkAdd(list []interface{}) error { return h.add(list, true) }

// AddIfNotPresent adds an object, unless there is one with its key.
func (h *Heap) AddIfNotPresent(obj interface{}) error { return h.add([]any{obj}, false) }

func (h *Heap) add(list []any, overwrite bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return errHeapClosed
	}
	defer h.some.Broadcast()
	for _, obj := range list {
		key, err := h.data.keyFunc(obj)
		if err != nil {
			return KeyError{obj, err}
		}
		switch item := h.data.items[key]; {
		case item == nil:
			heap.Push(h.data, &heapItem{key: key, obj: obj})
		case overwrite:
			item.obj = obj
			heap.Fix(h.data, item.at)
		}
	}
	return nil
}

// Delete removes the object with the same key. It is an error if there is none.
func (h *Heap) Delete(obj interface{}) error {
	key, err := h.data.keyFunc(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	item := h.data.items[key]
	if item == nil {
		return errHeapNotFound
	}
	heap.Remove(h.data, item.at)
	return nil
}

// Pop waits until the heap is not empty, and removes the first object. After Close it returns an error when the heap is
// empty.
func (h *Heap) Pop() (interface{}, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for len(h.data.order) == 0 {
		if h.closed {
			return nil, errHeapClosed
		}
		h.some.Wait()
	}
	return heap.Pop(h.data).(*heapItem).obj, nil
}

// List returns all objects, in unspecified order.
func (h *Heap) List() []interface{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := make([]interface{}, 0, len(h.data.order))
	for _, item := range h.data.order {
		list = append(list, item.obj)
	}
	return list
}

// ListKeys returns all keys, in unspecified order.
func (h *Heap) ListKeys() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	keys := make([]string, 0, len(h.data.order))
	for _, item := range h.data.order {
		keys = append(keys, item.key)
	}
	return keys
}

// Get returns the object with the same key.
func (h *Heap) Get(obj interface{}) (interface{}, bool, error) {
	key, err := h.data.keyFunc(obj)
	if err != nil {
		return nil, false, KeyError{obj, err}
	}
	return h.GetByKey(key)
}

// GetByKey returns the object with this key.
func (h *Heap) GetByKey(key string) (interface{}, bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if item := h.data.items[key]; item != nil {
		return item.obj, true, nil
	}
	return nil, false, nil
}

// heapData implements heap.Interface.
type heapData struct {
	// Invariant: items and order hold the same, and order[i].at is i.
	items map[string]*heapItem
	order []*heapItem

	keyFunc KeyFunc
	less    LessFunc
}

type heapItem struct {
	key string
	obj any
	at  int
}

func (d *heapData) Len() int           { return len(d.order) }
func (d *heapData) Less(i, j int) bool { return d.less(d.order[i].obj, d.order[j].obj) }

func (d *heapData) Swap(i, j int) {
	d.order[i], d.order[j] = d.order[j], d.order[i]
	d.order[i].at, d.order[j].at = i, j
}

func (d *heapData) Push(x any) {
	item := x.(*heapItem)
	item.at = len(d.order)
	d.items[item.key] = item
	d.order = append(d.order, item)
}

func (d *heapData) Pop() any {
	last := len(d.order) - 1
	item := d.order[last]
	d.order[last] = nil
	d.order = d.order[:last]
	delete(d.items, item.key)
	return item
}

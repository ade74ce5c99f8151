// Package weakmap keeps one value a key for as long as somebody else holds the value.
package weakmap

import (
	"runtime"
	"sync"
	"weak"
)

// Map finds values again without keeping them. The zero value is empty and ready, and may be used by many goroutines.
//
// Neither a key nor anything it points to may lead back to the value: the map holds keys strongly, so the value would
// never go.
type Map[K comparable, V any] struct {
	mu      sync.Mutex
	entries map[K]weak.Pointer[V]
}

// Get returns the value of key, or nil when there is none or nobody holds it any more.
func (m *Map[K, V]) Get(key K) *V {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.entries[key].Value()
}

// LoadOrStore returns the value of key, which is from now on the given one if there was none.
func (m *Map[K, V]) LoadOrStore(key K, value *V) *V {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v := m.entries[key].Value(); v != nil {
		return v
	}
	if m.entries == nil {
		m.entries = map[K]weak.Pointer[V]{}
	}
	pointer := weak.Make(value)
	m.entries[key] = pointer
	runtime.AddCleanup(value, func(key K) { m.drop(key, pointer) }, key)
	return value
}

// Len returns how many entries there are. Those whose value is gone count until the garbage collector has told.
func (m *Map[K, V]) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.entries)
}

// drop removes an entry whose value is gone, unless the key has a new value by now.
func (m *Map[K, V]) drop(key K, pointer weak.Pointer[V]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries[key] == pointer {
		delete(m.entries, key)
	}
}

// Package weakmap is a map with weak references to its values.
package weakmap

import (
	"runtime"
	"sync"
	"weak"
)

// Map has weak references to its values. The zero value is empty and ready to use. It is safe for concurrent use.
//
// Neither a key nor anything it points to may lead back to the value: the map holds keys strongly, so the value would
// never be collected.
type Map[K comparable, V any] struct {
	mu      sync.Mutex
	entries map[K]weak.Pointer[V]
}

// Get returns the value of key, or nil if there is none or it was collected.
func (m *Map[K, V]) Get(key K) *V {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.entries[key].Value()
}

// LoadOrStore returns the value of key, and stores the given one if there was none.
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

// Len returns the number of entries. Entries of collected values count until the cleanup has run.
func (m *Map[K, V]) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.entries)
}

// drop removes the entry of a collected value, unless the key has a new value by now.
func (m *Map[K, V]) drop(key K, pointer weak.Pointer[V]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries[key] == pointer {
		delete(m.entries, key)
	}
}

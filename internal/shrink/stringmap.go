package shrink

import (
	"iter"
	"maps"
)

// StringMap is a map by strings that gives its memory back when most entries are gone. The zero value is empty. It has no
// lock.
type StringMap[V any] struct {
	m    map[string]V
	peak Peak
}

// Len returns the number of entries.
func (s *StringMap[V]) Len() int { return len(s.m) }

// Get returns the value of a key, or the zero value if there is none.
func (s *StringMap[V]) Get(key string) V { return s.m[key] }

// Find returns the value of a key, and reports whether there is one.
func (s *StringMap[V]) Find(key string) (V, bool) {
	v, ok := s.m[key]
	return v, ok
}

// All yields the entries in no particular order.
func (s *StringMap[V]) All() iter.Seq2[string, V] { return maps.All(s.m) }

// Put sets the value of a key.
func (s *StringMap[V]) Put(key string, v V) {
	if s.m == nil {
		s.m = map[string]V{}
	}
	s.m[key] = v
	s.peak.Grow(len(s.m))
}

// Delete removes a key.
func (s *StringMap[V]) Delete(key string) {
	delete(s.m, key)
	if s.peak.Due(len(s.m)) {
		s.m = Map(s.m)
		s.peak.Reset(len(s.m))
	}
}

// Clear removes all entries, and keeps the memory of a small map.
func (s *StringMap[V]) Clear() {
	if s.peak.Due(Min - 1) {
		*s = StringMap[V]{}
		return
	}
	clear(s.m)
}

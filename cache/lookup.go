package cache

import "vedette.dev/internal/shrink"

// lookup is a map by strings that gives its memory back when most entries are gone.
type lookup[V any] struct {
	m    map[string]V
	peak shrink.Peak
}

func newLookup[V any](room int) lookup[V] { return lookup[V]{m: make(map[string]V, room)} }

func (l *lookup[V]) put(key string, v V) {
	l.m[key] = v
	l.peak.Grow(len(l.m))
}

func (l *lookup[V]) remove(key string) {
	delete(l.m, key)
	if l.peak.Due(len(l.m)) {
		l.m = shrink.Map(l.m)
		l.peak.Reset(len(l.m))
	}
}

// clear removes all entries, and keeps the memory of a small map.
func (l *lookup[V]) clear() {
	if l.peak.Due(shrink.Min - 1) {
		*l = newLookup[V](0)
		return
	}
	clear(l.m)
}

package cache

// lookup is a map by strings that gives its memory back, which a Go map never does by itself.
type lookup[V any] struct {
	m    map[string]V
	peak int // the most entries since m was made
}

// A map is made anew when it holds less than an eighth of what it once held, so that the work is a fraction of that of
// the removals before.
const (
	shrinkBelow = 8
	shrinkFrom  = 512 // smaller maps are left alone
)

func newLookup[V any](room int) lookup[V] { return lookup[V]{m: make(map[string]V, room)} }

// reserve makes room for so many entries in a lookup that has none.
func (l *lookup[V]) reserve(room int) {
	if room > shrinkFrom {
		*l = lookup[V]{m: make(map[string]V, room), peak: room}
	}
}

func (l *lookup[V]) put(key string, v V) {
	l.m[key] = v
	l.peak = max(l.peak, len(l.m))
}

func (l *lookup[V]) remove(key string) {
	delete(l.m, key)
	if l.peak >= shrinkFrom && len(l.m) < l.peak/shrinkBelow {
		m := make(map[string]V, len(l.m))
		for k, v := range l.m {
			m[k] = v
		}
		l.m, l.peak = m, len(m)
	}
}

// clear removes all, and keeps the memory of a few.
func (l *lookup[V]) clear() {
	if l.peak >= shrinkFrom*shrinkBelow {
		*l = newLookup[V](0)
		return
	}
	clear(l.m)
}

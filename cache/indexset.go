package cache

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// indexSet is the index functions of a table, in the order in which they were added. It never changes: AddIndexers puts
// a longer one in its place, so that writers can compute values before they take the lock.
type indexSet struct {
	names   []string
	funcs   []IndexFunc
	byMeta  []bool // whether a function looks at metadata only
	numbers map[string]int
}

func newIndexSet(indexers Indexers) *indexSet {
	s, _ := (&indexSet{}).with(indexers)
	return s
}

// with returns the set with more functions, or an error if one of their names is taken.
func (s *indexSet) with(more Indexers) (*indexSet, error) {
	added := slices.Sorted(maps.Keys(more))
	var taken []string
	for _, name := range added {
		if _, ok := s.numbers[name]; ok {
			taken = append(taken, name)
		}
	}
	if len(taken) > 0 {
		return nil, fmt.Errorf("indexer conflict: %v", taken)
	}
	next := &indexSet{
		names:   slices.Concat(s.names, added),
		funcs:   slices.Clone(s.funcs),
		byMeta:  slices.Clone(s.byMeta),
		numbers: make(map[string]int, len(s.names)+len(added)),
	}
	for _, name := range added {
		next.funcs = append(next.funcs, more[name])
		next.byMeta = append(next.byMeta, more[name].isByMeta())
	}
	for number, name := range next.names {
		next.numbers[name] = number
	}
	return next, nil
}

// indexers is the set as users know it.
func (s *indexSet) indexers() Indexers {
	out := make(Indexers, len(s.names))
	for number, name := range s.names {
		out[name] = s.funcs[number]
	}
	return out
}

// values appends the values of an object in each index from the given one on. A function that fails adds to the error
// and has no values; a nil object has none either.
func (s *indexSet) values(key string, obj any, from int, room [][]string) ([][]string, error) {
	var failed []error
	shown := shownOnce{obj: obj}
	for number := from; number < len(s.funcs); number++ {
		var values []string
		if obj != nil {
			var err error
			if values, err = shown.index(s.funcs[number], s.byMeta[number]); err != nil {
				values, failed = nil, append(failed, IndexError{Key: key, Index: s.names[number], Err: err})
			}
		}
		room = append(room, normal(values))
	}
	switch len(failed) {
	case 0:
		return room, nil
	case 1:
		return room, failed[0]
	default:
		return room, errors.Join(failed...)
	}
}

// normal returns values sorted and without duplicates. The slice of the user's, who may go on using it, stays as it is.
func normal(values []string) []string {
	for i := 1; i < len(values); i++ {
		if values[i-1] >= values[i] {
			values = slices.Clone(values)
			slices.Sort(values)
			return slices.Compact(values)
		}
	}
	return values
}

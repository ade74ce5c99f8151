package hashspace

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
)

// Set is a part of the space. The zero value is empty.
//
// Invariant: the ranges are sorted and disjoint, and no two of them touch. NewSet and the operations here keep it; a
// literal with more than one range must do so itself.
type Set []Range

// NewSet returns the set of the given ranges, in any order. Overlapping or empty ranges are an error that names them.
func NewSet(ranges ...Range) (Set, error) {
	sorted := slices.Clone(ranges)
	for _, r := range sorted {
		if !r.valid() {
			return nil, invalid(r)
		}
	}
	slices.SortFunc(sorted, byStart)
	for i := 1; i < len(sorted); i++ {
		if sorted[i].Start <= sorted[i-1].last() {
			return nil, fmt.Errorf("the ranges %v and %v overlap", sorted[i-1], sorted[i])
		}
	}
	return join(sorted), nil
}

// byStart orders by start and then by end, 2^64 last.
func byStart(a, b Range) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.last(), b.last()))
}

// join returns a set of valid ranges that are sorted by start, in place. They may overlap.
func join(sorted []Range) Set {
	if len(sorted) == 0 {
		return nil
	}
	out := sorted[:1]
	for _, r := range sorted[1:] {
		before := &out[len(out)-1]
		switch {
		case before.End == 0: // the rest is inside
		case r.Start > before.End:
			out = append(out, r)
		case r.last() > before.last():
			before.End = r.End
		}
	}
	return Set(slices.Clip(out))
}

// Contains reports whether a hash is in the set, by binary search.
func (s Set) Contains(h uint64) bool {
	i := sort.Search(len(s), func(i int) bool { return s[i].last() >= h })
	return i < len(s) && s[i].Start <= h
}

// Intersect returns the hashes that are in both sets.
func (s Set) Intersect(o Set) Set {
	var out Set
	for i, j := 0, 0; i < len(s) && j < len(o); {
		start, last := max(s[i].Start, o[j].Start), min(s[i].last(), o[j].last())
		if start <= last {
			out = append(out, closed(start, last))
		}
		if s[i].last() <= o[j].last() {
			i++
		} else {
			j++
		}
	}
	return out
}

// Subtract returns the hashes that are in s and not in o.
func (s Set) Subtract(o Set) Set {
	return s.Intersect(o.complement())
}

// complement returns the hashes that are not in the set.
func (s Set) complement() Set {
	var out Set
	start := uint64(0)
	for _, r := range s {
		if r.Start > start {
			out = append(out, Range{start, r.Start})
		}
		if r.End == 0 {
			return out
		}
		start = r.End
	}
	return append(out, Range{Start: start})
}

// Union returns the hashes that are in any of the sets. They may overlap.
func (s Set) Union(others ...Set) Set {
	all := slices.Concat(append([]Set{s}, others...)...)
	slices.SortFunc(all, byStart)
	return join(all)
}

// Empty reports whether the set is empty.
func (s Set) Empty() bool { return len(s) == 0 }

// IsEverything reports whether the set is the whole space.
func (s Set) IsEverything() bool { return len(s) == 1 && s[0] == Everything() }

// Equal reports whether both sets hold the same hashes.
func (s Set) Equal(o Set) bool { return slices.Equal(s, o) }

// Share returns the set's fraction of the space.
func (s Set) Share() float64 {
	share := 0.0
	for _, r := range s {
		share += r.share()
	}
	return share
}

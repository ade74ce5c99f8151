package cover

import (
	"fmt"
	"slices"

	"vedette.dev/internal/hashspace"
)

// Set is a set of the values of one dimension. The zero value has none.
type Set struct {
	// values are those in the set, or, if except is set, those that are not; sorted, each once.
	values []string
	except bool
	// ranges are the hashes in the set, if hashes is set.
	ranges hashspace.Set
	hashes bool
}

// Values returns the set of some values.
func Values(values ...string) Set { return Set{values: sorted(values)} }

// Except returns the set of all values but some.
func Except(values ...string) Set { return Set{values: sorted(values), except: true} }

// Hashes returns a set of hashes.
func Hashes(ranges hashspace.Set) Set { return Set{ranges: slices.Clone(ranges), hashes: true} }

func sorted(values []string) []string {
	values = slices.Clone(values)
	slices.Sort(values)
	return slices.Compact(values)
}

// IsEmpty reports whether the set has no values.
func (s Set) IsEmpty() bool {
	if s.hashes {
		return s.ranges.Empty()
	}
	return !s.except && len(s.values) == 0
}

// isAll reports whether the set has all values.
func (s Set) isAll() bool {
	if s.hashes {
		return s.ranges.IsEverything()
	}
	return s.except && len(s.values) == 0
}

// Has reports whether a value is in the set.
func (s Set) Has(value string) bool {
	_, found := slices.BinarySearch(s.values, value)
	return found != s.except
}

// hasHash reports whether a hash is in the set.
func (s Set) hasHash(hash uint64) bool { return s.ranges.Contains(hash) }

// Ranges returns the hashes of the set.
func (s Set) Ranges() hashspace.Set { return slices.Clone(s.ranges) }

func (s Set) intersect(o Set) Set {
	switch {
	case s.hashes:
		return Set{ranges: s.ranges.Intersect(o.ranges), hashes: true}
	case s.except && o.except:
		return Set{values: merge(s.values, o.values, inOne, inOther, inBoth), except: true}
	case s.except:
		return Set{values: merge(s.values, o.values, inOther)}
	case o.except:
		return Set{values: merge(s.values, o.values, inOne)}
	}
	return Set{values: merge(s.values, o.values, inBoth)}
}

func (s Set) complement() Set {
	if s.hashes {
		return Set{ranges: hashspace.Set{hashspace.Everything()}.Subtract(s.ranges), hashes: true}
	}
	return Set{values: s.values, except: !s.except}
}

// unite returns the union of sets of the same dimension.
func unite(sets []Set) Set {
	if sets[0].hashes {
		ranges := make([]hashspace.Set, len(sets))
		for i, s := range sets {
			ranges[i] = s.ranges
		}
		return Set{ranges: hashspace.Set{}.Union(ranges...), hashes: true}
	}
	var values []string
	for _, s := range sets {
		if !s.except {
			values = append(values, s.values...)
		}
	}
	out := Values(values...)
	for _, s := range sets {
		if s.except {
			out = out.complement().intersect(s.complement()).complement()
		}
	}
	return out
}

// which of two sorted lists a value is in.
type which int

const (
	inOne which = iota
	inOther
	inBoth
)

// merge returns the values that are in the lists as one of keep says.
func merge(one, other []string, keep ...which) []string {
	out := []string(nil)
	add := func(value string, in which) {
		if slices.Contains(keep, in) {
			out = append(out, value)
		}
	}
	for len(one) > 0 || len(other) > 0 {
		switch {
		case len(other) == 0 || len(one) > 0 && one[0] < other[0]:
			add(one[0], inOne)
			one = one[1:]
		case len(one) == 0 || other[0] < one[0]:
			add(other[0], inOther)
			other = other[1:]
		default:
			add(one[0], inBoth)
			one, other = one[1:], other[1:]
		}
	}
	return out
}

// String returns the set for messages and for comparison: equal sets have equal texts.
func (s Set) String() string {
	if s.hashes {
		return fmt.Sprint([]hashspace.Range(s.ranges))
	}
	text := fmt.Sprintf("%q", s.values)
	if s.except {
		return "not " + text
	}
	return text
}

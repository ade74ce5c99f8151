package hashspace

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
)

// union returns the hashes that are in any of the sets.
func union(sets map[string]Set) Set { return Set{}.Union(slices.Collect(maps.Values(sets))...) }

// RebalanceWithin is Rebalance restricted to the hashes that the owners hold: unassigned ranges stay unassigned. It maps the
// held part of the space to the whole space, divides that, and maps the result back.
func RebalanceWithin(current map[string]Set, owners map[string]float64, loads []Load, tolerance float64) (Plan, error) {
	within := union(current)
	if within.Empty() {
		return Plan{}, errors.New("the owners hold no hashes to divide")
	}
	if within.IsEverything() {
		return Rebalance(current, owners, loads, tolerance)
	}
	if err := Disjoint(current); err != nil {
		return Plan{}, err
	}
	z := newZoom(within)
	stretched := make(map[string]Set, len(current))
	for id, set := range current {
		stretched[id] = z.stretchSet(set)
	}
	inside := make([]Load, 0, len(loads))
	for _, l := range loads {
		if within.Contains(l.Hash) {
			inside = append(inside, Load{z.stretch(l.Hash), l.Weight})
		}
	}
	plan, err := Rebalance(stretched, owners, inside, tolerance)
	if err != nil {
		return Plan{}, err
	}
	for id, set := range plan.Owners {
		if plan.Owners[id] = z.shrinkSet(set); len(plan.Owners[id]) == 0 {
			return Plan{}, fmt.Errorf("the owners hold too few hashes for %d owners", len(owners))
		}
	}
	return plan, nil
}

// zoom maps the hashes of a set to the whole space, in order: first to a space of its size, without the gaps, and that to the whole.
type zoom struct {
	set   Set
	below []uint64 // how many hashes of the set are below each of its ranges
	size  uint64   // of the set
}

func newZoom(s Set) zoom {
	z := zoom{set: s}
	for _, r := range s {
		z.below = append(z.below, z.size)
		z.size += r.last() - r.Start + 1
	}
	return z
}

// stretch returns where a hash of the set is in the whole space.
func (z zoom) stretch(hash uint64) uint64 {
	i, _ := slices.BinarySearchFunc(z.set, hash, func(r Range, h uint64) int {
		switch {
		case r.last() < h:
			return -1
		case r.Start > h:
			return 1
		}
		return 0
	})
	at, _ := bits.Div64(z.below[i]+hash-z.set[i].Start, 0, z.size)
	return at
}

// stretchSet returns where a part of the set is in the whole space.
func (z zoom) stretchSet(part Set) Set {
	out := make(Set, 0, len(part))
	for _, r := range part.Intersect(z.set) {
		end := uint64(0)
		if next := z.position(r) + (r.last() - r.Start + 1); next < z.size {
			end, _ = bits.Div64(next, 0, z.size)
		}
		out = append(out, Range{z.stretch(r.Start), end})
	}
	return join(out)
}

// position returns how many hashes of the set are below a range of it.
func (z zoom) position(r Range) uint64 {
	for i, mine := range z.set {
		if mine.Contains(r.Start) {
			return z.below[i] + r.Start - mine.Start
		}
	}
	return 0
}

// shrinkSet returns the hashes of the set that are in a part of the whole space when they are stretched.
func (z zoom) shrinkSet(part Set) Set {
	var out Set
	for _, r := range part {
		start, end := z.shrink(r.Start), z.size
		if r.End != 0 {
			end = z.shrink(r.End)
		}
		for i, mine := range z.set {
			from, to := z.below[i], z.below[i]+(mine.last()-mine.Start)+1 // of the positions in this range, to is beyond
			if first, beyond := max(start, from), min(end, to); first < beyond {
				out = append(out, closed(mine.Start+(first-from), mine.Start+(beyond-1-from)))
			}
		}
	}
	return join(out)
}

// shrink returns how many hashes of the set are below a point of the whole space when they are stretched.
func (z zoom) shrink(at uint64) uint64 {
	whole, rest := bits.Mul64(at, z.size)
	if rest > 0 {
		whole++
	}
	return whole
}

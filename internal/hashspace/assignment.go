package hashspace

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// assignment is the working state of a plan: which owner holds which part of the space.
type assignment struct {
	points
	owners []owner // by id
	// runs is the space from its start to its end.
	// Invariant: each run begins where the previous one ends, and no two adjacent runs have the same holder.
	runs      []run
	tolerance float64
}

// owner is an owner of the new assignment.
type owner struct {
	id string
	// fair is the load that corresponds to the owner's weight.
	fair float64
	// Invariant: load is the sum of the loads of the owner's runs, and runs is their number.
	load float64
	runs int
	// joins is set if the owner held nothing in the old assignment.
	joins bool
}

// run is a stretch of the space, from start to last, with the points from i up to j.
type run struct {
	start, last uint64
	i, j        int
	// holder is an index of assignment.owners, none if the run is unassigned, or none-1-n for the n-th owner that leaves.
	holder int
}

// none is the holder of an unassigned run, and the result of a search that found no owner or run.
const none = -1

// minFraction is the smallest fraction of an owner's fair load for which it gets a range of its own.
const minFraction = 1.0 / 64

func (r run) unassigned() bool { return r.holder < 0 }

func newAssignment(current map[string]Set, weights map[string]float64, loads []Load, tolerance float64) (*assignment, error) {
	all, err := holdings(current)
	if err != nil {
		return nil, err
	}
	a := &assignment{points: newPoints(loads), tolerance: tolerance}
	if a.total() == 0 {
		var edges []uint64
		for _, h := range all {
			edges = append(edges, h.Start, h.End)
		}
		a.points = evenPoints(edges)
	}
	if err := a.addOwners(current, weights); err != nil {
		return nil, err
	}
	a.addRuns(all)
	return a, nil
}

// leastWeight is the smallest weight of an owner relative to the greatest one. It avoids divisions by almost zero.
const leastWeight = 1e-3

// addOwners sets a.owners, sorted by id.
func (a *assignment) addOwners(current map[string]Set, weights map[string]float64) error {
	top := 0.0
	for _, id := range slices.Sorted(maps.Keys(weights)) {
		weight := cmp.Or(weights[id], 1)
		if !(weight > 0) || math.IsInf(weight, 0) {
			return fmt.Errorf("the weight of owner %q is %v; it must be a positive number, or 0 for 1", id, weight)
		}
		top = max(top, weight)
		a.owners = append(a.owners, owner{id: id, fair: weight, joins: current[id].Empty()})
	}
	sum := 0.0
	for i := range a.owners {
		a.owners[i].fair = max(a.owners[i].fair/top, leastWeight)
		sum += a.owners[i].fair
	}
	for i := range a.owners {
		a.owners[i].fair *= a.total() / sum
	}
	return nil
}

// addRuns sets a.runs: one run for each held range, and an unassigned run for each gap between them.
func (a *assignment) addRuns(all []held) {
	gone := map[string]int{}
	add := func(r Range, holder int) {
		i, j := a.in(r)
		a.runs = append(a.runs, run{r.Start, r.last(), i, j, holder})
	}
	next, open := uint64(0), true
	for _, h := range all {
		holder, ok := slices.BinarySearchFunc(a.owners, h.by, func(o owner, id string) int { return cmp.Compare(o.id, id) })
		if !ok {
			if _, known := gone[h.by]; !known {
				gone[h.by] = none - 1 - len(gone)
			}
			holder = gone[h.by]
		}
		if h.Start > next {
			add(Range{next, h.Start}, none)
		}
		add(h.Range, holder)
		next, open = h.End, h.End != 0
	}
	if open {
		add(Range{Start: next}, none)
	}
	a.mergeRuns()
}

// mergeRuns merges adjacent runs of the same holder and recomputes the owners' loads. Recomputing everything at each step
// is slower than updating the sums, but cannot get out of step with the runs.
func (a *assignment) mergeRuns() {
	runs := a.runs[:1]
	for _, r := range a.runs[1:] {
		if before := &runs[len(runs)-1]; before.holder == r.holder {
			before.last, before.j = r.last, r.j
			continue
		}
		runs = append(runs, r)
	}
	a.runs = runs
	for i := range a.owners {
		a.owners[i].load, a.owners[i].runs = 0, 0
	}
	for _, r := range a.runs {
		if !r.unassigned() {
			a.owners[r.holder].load += a.weigh(r)
			a.owners[r.holder].runs++
		}
	}
}

// give assigns the points from i up to j of the k-th run to an owner, together with the space around them: up to the run's
// own edge where no point remains on that side.
func (a *assignment) give(k, i, j, to int) {
	old := a.runs[k]
	moved := old
	moved.holder, moved.i, moved.j = to, i, j
	parts := make([]run, 0, 3)
	if i > old.i {
		moved.start = a.cut(i)
		parts = append(parts, run{old.start, moved.start - 1, old.i, i, old.holder})
	}
	parts = append(parts, moved)
	if j < old.j {
		at := a.cut(j)
		parts[len(parts)-1].last = at - 1
		parts = append(parts, run{at, old.last, j, old.j, old.holder})
	}
	a.runs = slices.Replace(a.runs, k, k+1, parts...)
	a.mergeRuns()
}

func (a *assignment) clone() *assignment {
	c := *a
	c.owners, c.runs = slices.Clone(a.owners), slices.Clone(a.runs)
	return &c
}

func (a *assignment) weigh(r run) float64 { return a.between(r.i, r.j) }

// ratio returns an owner's load divided by its fair load.
func (a *assignment) ratio(o int) float64 { return a.owners[o].load / a.owners[o].fair }

// deficit returns how much an owner's load is below its fair load.
func (a *assignment) deficit(o int) float64 { return a.owners[o].fair - a.owners[o].load }

// canAddRange reports whether an owner may have one more range.
func (a *assignment) canAddRange(o int) bool { return a.owners[o].runs < MaxRanges }

func (a *assignment) imbalance() float64 {
	top := 0.0
	for o := range a.owners {
		top = max(top, a.ratio(o))
	}
	return top
}

// neighbours returns the holders of the runs before and after the k-th, or none at the edges of the space.
func (a *assignment) neighbours(k int) (left, right int) {
	left, right = none, none
	if k > 0 {
		left = a.runs[k-1].holder
	}
	if k+1 < len(a.runs) {
		right = a.runs[k+1].holder
	}
	return left, right
}

// neediest returns the owner with the greatest positive deficit that may have one more range, or none. It ignores except.
func (a *assignment) neediest(except int) int {
	best := none
	for o := range a.owners {
		if o != except && a.canAddRange(o) && a.deficit(o) > 0 && (best == none || a.deficit(o) > a.deficit(best)) {
			best = o
		}
	}
	return best
}

package hashspace

import (
	"cmp"
	"slices"
)

// replaceLeaving gives all ranges of a leaving owner to a joining one, the heaviest first. A rolling update, which replaces
// each old owner by a new one, therefore moves each range once and leaves all cuts as they are.
func (a *assignment) replaceLeaving() {
	loads := map[int]float64{}
	for _, r := range a.runs {
		if r.holder < none {
			loads[r.holder] += a.weigh(r)
		}
	}
	var gone, come []int
	for holder := range loads {
		gone = append(gone, holder)
	}
	slices.SortFunc(gone, func(x, y int) int { return cmp.Or(cmp.Compare(loads[y], loads[x]), cmp.Compare(y, x)) })
	for o := range a.owners {
		if a.owners[o].joins {
			come = append(come, o)
		}
	}
	slices.SortStableFunc(come, func(x, y int) int { return cmp.Compare(a.owners[y].fair, a.owners[x].fair) })
	successor := map[int]int{}
	for n := range min(len(gone), len(come)) {
		successor[gone[n]] = come[n]
	}
	for k, r := range a.runs {
		if r.holder < none {
			a.runs[k].holder = none
			if o, ok := successor[r.holder]; ok {
				a.runs[k].holder = o
			}
		}
	}
	a.mergeRuns()
}

// assignUnassigned gives every unassigned run to an owner.
func (a *assignment) assignUnassigned() {
	if len(a.runs) == 1 && a.runs[0].unassigned() {
		a.divide()
		return
	}
	for {
		// The lightest first: it is most likely to fit into a neighbour's deficit, which saves a range.
		lightest := none
		for k, r := range a.runs {
			if r.unassigned() && (lightest == none || a.weigh(r) < a.weigh(a.runs[lightest])) {
				lightest = k
			}
		}
		if lightest == none {
			return
		}
		a.assignPart(lightest)
	}
}

// divide cuts a space that is unassigned as a whole into one range per owner, in the order of their ids. The cut is optimal
// for one range each, so that no owner has to be filled afterwards.
func (a *assignment) divide() {
	fair := make([]float64, len(a.owners))
	for o := range a.owners {
		fair[o] = a.owners[o].fair
		a.owners[o].joins = false
	}
	begin, start := 0, uint64(0)
	a.runs = nil
	for o, end := range a.partition(fair, 0) {
		if begin == end {
			continue
		}
		r := run{start, Everything().last(), begin, end, o}
		if end < a.len() {
			start = a.cut(end)
			r.last = start - 1
		}
		a.runs = append(a.runs, r)
		begin = end
	}
	a.mergeRuns()
}

// assignPart gives an unassigned run, or a part of it, to one owner. It prefers a neighbour, whose range just grows, and
// then the owner with the greatest deficit.
func (a *assignment) assignPart(k int) {
	r := a.runs[k]
	left, right := a.neighbours(k)
	to := a.needier(left, right)
	slack := a.owners[to].fair * max((a.tolerance-1)/2, minFraction)
	if a.weigh(r) <= a.deficit(to)+slack {
		a.give(k, r.i, r.j, to)
		return
	}
	if neediest := a.neediest(none); neediest != none && a.deficit(to) < a.owners[to].fair*minFraction {
		to = neediest
	}
	deficit := max(a.deficit(to), 0)
	if a.weigh(r) <= deficit+a.owners[to].fair*minFraction {
		a.give(k, r.i, r.j, to)
		return
	}
	// At least one point, so that the loop in assignUnassigned terminates.
	if to == right && to != left {
		i := min(max(a.reachBack(r.j, deficit), r.i), r.j-1)
		a.give(k, i, r.j, to)
		return
	}
	j := a.nearest(r.i, r.i+1, r.j, deficit)
	a.give(k, r.i, j, to)
}

// needier returns the neighbour with the greater deficit. One of the two may be none.
func (a *assignment) needier(left, right int) int {
	if left == none || right != none && a.deficit(right) > a.deficit(left) {
		return right
	}
	return left
}

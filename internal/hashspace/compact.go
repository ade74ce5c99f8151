package hashspace

const (
	// fewRanges is how many ranges an owner may have before they are compacted.
	fewRanges = 4
	// compactBudget is the fraction of the load that may move only to lower the number of ranges.
	compactBudget = 1.0 / 128
)

// limitRanges lowers the number of ranges of owners that have more than MaxRanges: the lightest go to a neighbour.
func (a *assignment) limitRanges() {
	for o := range a.owners {
		for a.owners[o].runs > MaxRanges {
			best := none
			for k, r := range a.runs {
				if r.holder == o && (best == none || a.weigh(r) < a.weigh(a.runs[best])) {
					best = k
				}
			}
			a.give(best, a.runs[best].i, a.runs[best].j, a.needier(a.neighbours(best)))
		}
	}
}

// compact gives the lightest runs of owners with many ranges to a neighbour. Otherwise ranges would get smaller and more
// numerous as owners join and leave. It only runs if something else moves, and moves at most compactBudget.
func (a *assignment) compact() {
	budget := a.total() * compactBudget
	for {
		best, successor, lightest := none, none, budget
		for k, r := range a.runs {
			if a.owners[r.holder].runs <= fewRanges {
				continue
			}
			to := a.needier(a.neighbours(k))
			weight := a.weigh(r)
			if after := (a.owners[to].load + weight) / a.owners[to].fair; after > a.tolerance || weight > lightest {
				continue
			}
			if best == none || weight < lightest {
				best, successor, lightest = k, to, weight
			}
		}
		if best == none {
			return
		}
		budget -= lightest
		a.give(best, a.runs[best].i, a.runs[best].j, successor)
	}
}

package hashspace

const (
	// fewRanges is how many ranges an owner may have before they are tidied.
	fewRanges = 4
	// tidyBudget is the part of the load that may move for nothing but tidiness.
	tidyBudget = 1.0 / 128
)

// gather lowers the number of ranges of those who have more than a selector can name: the lightest go to a neighbour.
func (b *board) gather() {
	for o := range b.owners {
		for b.owners[o].runs > MaxRanges {
			best := nobody
			for k, r := range b.runs {
				if r.holder == o && (best == nobody || b.weigh(r) < b.weigh(b.runs[best])) {
					best = k
				}
			}
			b.give(best, b.runs[best].i, b.runs[best].j, b.needier(b.beside(best)))
		}
	}
}

// tidy gives the lightest runs of those who have many to a neighbour. Ranges would otherwise become ever smaller and more
// as owners come and go. It is only done where something moves anyway, and moves little.
func (b *board) tidy() {
	budget := b.total() * tidyBudget
	for {
		best, heir, lightest := nobody, nobody, budget
		for k, r := range b.runs {
			if b.owners[r.holder].runs <= fewRanges {
				continue
			}
			to := b.needier(b.beside(k))
			weight := b.weigh(r)
			if after := (b.owners[to].load + weight) / b.owners[to].fair; after > b.tolerance || weight > lightest {
				continue
			}
			if best == nobody || weight < lightest {
				best, heir, lightest = k, to, weight
			}
		}
		if best == nobody {
			return
		}
		budget -= lightest
		b.give(best, b.runs[best].i, b.runs[best].j, heir)
	}
}

package hashspace

// assignEmpty gives each owner without runs a stretch of the space in which no load was seen: the widest at the edge of a
// run, or else inside one. An owner with a range can watch, and objects may be created in it. If every hash of the space
// had load, there would be no such stretch.
func (a *assignment) assignEmpty() {
	for o := range a.owners {
		if a.owners[o].runs == 0 {
			a.assignEmptyTo(o)
		}
	}
}

// gap is a stretch without load in a run.
type gap struct {
	k           int
	start, last uint64
	inside      bool
	found       bool
}

func (g gap) width() uint64 { return g.last - g.start }

func (a *assignment) assignEmptyTo(o int) {
	var best gap
	for k, r := range a.runs {
		a.gaps(r, func(start, last uint64) {
			g := gap{k, start, last, start > r.start && last < r.last, true}
			if g.inside && !a.canAddRange(r.holder) || start == r.start && last == r.last && a.owners[r.holder].runs == 1 && start == last {
				return
			}
			if !best.found || best.inside && !g.inside || best.inside == g.inside && g.width() > best.width() {
				best = g
			}
		})
	}
	if best.found {
		a.carve(best, o)
	}
}

// gaps calls f for each stretch of a run without points in it.
func (a *assignment) gaps(r run, f func(start, last uint64)) {
	start := r.start
	for i := r.i; i < r.j; i++ {
		if at := a.hash[i]; at > start {
			f(start, at-1)
		}
		start = a.hash[i] + 1 // behind the last hash of the space it is 0, and there is nothing
	}
	if r.i == r.j || a.hash[r.j-1] < r.last {
		f(start, r.last)
	}
}

// carve gives a gap to an owner; of a run that is nothing but a gap, the second half.
func (a *assignment) carve(g gap, to int) {
	r := a.runs[g.k]
	if g.start == r.start && g.last == r.last && a.owners[r.holder].runs == 1 {
		g.start += g.width()/2 + 1
	}
	var parts []run
	first, _ := a.in(closed(g.start, g.last))
	if g.start > r.start {
		parts = append(parts, run{r.start, g.start - 1, r.i, first, r.holder})
	}
	parts = append(parts, run{g.start, g.last, first, first, to})
	if g.last < r.last {
		parts = append(parts, run{g.last + 1, r.last, first, r.j, r.holder})
	}
	runs := append([]run{}, a.runs[:g.k]...)
	runs = append(runs, parts...)
	a.runs = append(runs, a.runs[g.k+1:]...)
	a.mergeRuns()
}

package hashspace

// provide gives those who are left without anything a stretch of the space in which no load was seen: the widest at the
// edge of a run, or else inside one. An owner that holds something can watch, and objects may come to it. If each hash of
// the space had its load, there would be nothing to give.
func (b *board) provide() {
	for o := range b.owners {
		if b.owners[o].runs == 0 {
			b.provideFor(o)
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

func (b *board) provideFor(o int) {
	var best gap
	for k, r := range b.runs {
		b.gaps(r, func(start, last uint64) {
			g := gap{k, start, last, start > r.start && last < r.last, true}
			if g.inside && !b.room(r.holder) || start == r.start && last == r.last && b.owners[r.holder].runs == 1 && start == last {
				return
			}
			if !best.found || best.inside && !g.inside || best.inside == g.inside && g.width() > best.width() {
				best = g
			}
		})
	}
	if best.found {
		b.carve(best, o)
	}
}

// gaps calls f for each stretch of a run without points in it.
func (b *board) gaps(r run, f func(start, last uint64)) {
	start := r.start
	for i := r.i; i < r.j; i++ {
		if at := b.hash[i]; at > start {
			f(start, at-1)
		}
		start = b.hash[i] + 1 // behind the last hash of the space it is 0, and there is nothing
	}
	if r.i == r.j || b.hash[r.j-1] < r.last {
		f(start, r.last)
	}
}

// carve gives a gap to an owner; of a run that is nothing but a gap, the second half.
func (b *board) carve(g gap, to int) {
	r := b.runs[g.k]
	if g.start == r.start && g.last == r.last && b.owners[r.holder].runs == 1 {
		g.start += g.width()/2 + 1
	}
	var parts []run
	first, _ := b.in(closed(g.start, g.last))
	if g.start > r.start {
		parts = append(parts, run{r.start, g.start - 1, r.i, first, r.holder})
	}
	parts = append(parts, run{g.start, g.last, first, first, to})
	if g.last < r.last {
		parts = append(parts, run{g.last + 1, r.last, first, r.j, r.holder})
	}
	runs := append([]run{}, b.runs[:g.k]...)
	runs = append(runs, parts...)
	b.runs = append(runs, b.runs[g.k+1:]...)
	b.settle()
}

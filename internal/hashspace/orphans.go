package hashspace

import (
	"cmp"
	"slices"
)

// inherit lets each newcomer step into the place of one who goes, the heaviest first. A rolling update, where each old owner
// is replaced by a new one, so moves each part once and leaves all cuts as they are.
func (b *board) inherit() {
	loads := map[int]float64{}
	for _, r := range b.runs {
		if r.holder < nobody {
			loads[r.holder] += b.weigh(r)
		}
	}
	var gone, come []int
	for holder := range loads {
		gone = append(gone, holder)
	}
	slices.SortFunc(gone, func(x, y int) int { return cmp.Or(cmp.Compare(loads[y], loads[x]), cmp.Compare(y, x)) })
	for o := range b.owners {
		if b.owners[o].comes {
			come = append(come, o)
		}
	}
	slices.SortStableFunc(come, func(x, y int) int { return cmp.Compare(b.owners[y].fair, b.owners[x].fair) })
	heir := map[int]int{}
	for n := range min(len(gone), len(come)) {
		heir[gone[n]] = come[n]
	}
	for k, r := range b.runs {
		if r.holder < nobody {
			b.runs[k].holder = nobody
			if o, ok := heir[r.holder]; ok {
				b.runs[k].holder = o
			}
		}
	}
	b.settle()
}

// adopt finds an owner for all that nobody holds.
func (b *board) adopt() {
	if len(b.runs) == 1 && b.runs[0].orphan() {
		b.begin()
		return
	}
	for {
		// The lightest first: it is most likely to be all that a neighbour lacks, and a range less.
		lightest := nobody
		for k, r := range b.runs {
			if r.orphan() && (lightest == nobody || b.weigh(r) < b.weigh(b.runs[lightest])) {
				lightest = k
			}
		}
		if lightest == nobody {
			return
		}
		b.adoptPart(lightest)
	}
}

// begin cuts a space that nobody holds into one range for each owner, by their ids. That is the best for all, and nobody
// has to be fed afterwards.
func (b *board) begin() {
	fair := make([]float64, len(b.owners))
	for o := range b.owners {
		fair[o] = b.owners[o].fair
		b.owners[o].comes = false
	}
	begin, start := 0, uint64(0)
	b.runs = nil
	for o, end := range b.partition(fair, 0) {
		if begin == end {
			continue
		}
		r := run{start, Everything().last(), begin, end, o}
		if end < b.len() {
			start = b.cut(end)
			r.last = start - 1
		}
		b.runs = append(b.runs, r)
		begin = end
	}
	b.settle()
}

// adoptPart gives an orphaned run, or a part of it, to one owner. A neighbour comes first, because its range just grows;
// then whoever lacks most.
func (b *board) adoptPart(k int) {
	r := b.runs[k]
	left, right := b.beside(k)
	to := b.needier(left, right)
	slack := b.owners[to].fair * max((b.tolerance-1)/2, crumb)
	if b.weigh(r) <= b.lack(to)+slack {
		b.give(k, r.i, r.j, to)
		return
	}
	if neediest := b.neediest(nobody); neediest != nobody && b.lack(to) < b.owners[to].fair*crumb {
		to = neediest
	}
	lack := max(b.lack(to), 0)
	if b.weigh(r) <= lack+b.owners[to].fair*crumb {
		b.give(k, r.i, r.j, to)
		return
	}
	// At least one point, or there is no end.
	if to == right && to != left {
		i := min(max(b.reachBack(r.j, lack), r.i), r.j-1)
		b.give(k, i, r.j, to)
		return
	}
	j := b.nearest(r.i, r.i+1, r.j, lack)
	b.give(k, r.i, j, to)
}

// needier is which of two neighbours lacks more. One of them may be nobody.
func (b *board) needier(left, right int) int {
	if left == nobody || right != nobody && b.lack(right) > b.lack(left) {
		return right
	}
	return left
}

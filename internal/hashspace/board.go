package hashspace

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// board is the assignment while a plan is made.
type board struct {
	points
	owners []owner // by id
	// runs is the space from its start to its end.
	// Invariant: each begins where the one before it ends, and no two neighbours have the same holder.
	runs      []run
	tolerance float64
}

// owner is one who shall hold a part of the space.
type owner struct {
	id string
	// fair is the part of the load that is right for its weight.
	fair float64
	// Invariant: load and runs are those of its runs on the board.
	load float64
	runs int
	// comes is set for one who held nothing before.
	comes bool
}

// run is a stretch of the space, from start to last, with the points from i up to j.
type run struct {
	start, last uint64
	i, j        int
	// holder is an index of board.owners, nobody, or nobody-1-n for the n-th of those who go.
	holder int
}

const nobody = -1

// crumb is the part of what is fair that is not worth a range of its own.
const crumb = 1.0 / 64

func (r run) orphan() bool { return r.holder < 0 }

func newBoard(current map[string]Set, weights map[string]float64, loads []Load, tolerance float64) (*board, error) {
	all, err := holdings(current)
	if err != nil {
		return nil, err
	}
	b := &board{points: newPoints(loads), tolerance: tolerance}
	if b.total() == 0 {
		var edges []uint64
		for _, h := range all {
			edges = append(edges, h.Start, h.End)
		}
		b.points = evenPoints(edges)
	}
	if err := b.enlist(current, weights); err != nil {
		return nil, err
	}
	b.lay(all)
	return b, nil
}

// leastWeight is the smallest weight of an owner, beside the greatest one. Far less would be a division by nothing.
const leastWeight = 1e-3

// enlist makes the owners.
func (b *board) enlist(current map[string]Set, weights map[string]float64) error {
	top := 0.0
	for _, id := range slices.Sorted(maps.Keys(weights)) {
		weight := cmp.Or(weights[id], 1)
		if !(weight > 0) || math.IsInf(weight, 0) {
			return fmt.Errorf("the weight of owner %q is %v; it must be a positive number, or 0 for 1", id, weight)
		}
		top = max(top, weight)
		b.owners = append(b.owners, owner{id: id, fair: weight, comes: current[id].Empty()})
	}
	sum := 0.0
	for i := range b.owners {
		b.owners[i].fair = max(b.owners[i].fair/top, leastWeight)
		sum += b.owners[i].fair
	}
	for i := range b.owners {
		b.owners[i].fair *= b.total() / sum
	}
	return nil
}

// lay makes the runs of what is held, and of the gaps between.
func (b *board) lay(all []held) {
	gone := map[string]int{}
	add := func(r Range, holder int) {
		i, j := b.in(r)
		b.runs = append(b.runs, run{r.Start, r.last(), i, j, holder})
	}
	next, open := uint64(0), true
	for _, h := range all {
		holder, ok := slices.BinarySearchFunc(b.owners, h.by, func(o owner, id string) int { return cmp.Compare(o.id, id) })
		if !ok {
			if _, known := gone[h.by]; !known {
				gone[h.by] = nobody - 1 - len(gone)
			}
			holder = gone[h.by]
		}
		if h.Start > next {
			add(Range{next, h.Start}, nobody)
		}
		add(h.Range, holder)
		next, open = h.End, h.End != 0
	}
	if open {
		add(Range{Start: next}, nobody)
	}
	b.settle()
}

// settle joins neighbours of the same holder, and counts anew. To count everything at each step is slower than to keep
// count, and cannot go wrong.
func (b *board) settle() {
	runs := b.runs[:1]
	for _, r := range b.runs[1:] {
		if before := &runs[len(runs)-1]; before.holder == r.holder {
			before.last, before.j = r.last, r.j
			continue
		}
		runs = append(runs, r)
	}
	b.runs = runs
	for i := range b.owners {
		b.owners[i].load, b.owners[i].runs = 0, 0
	}
	for _, r := range b.runs {
		if !r.orphan() {
			b.owners[r.holder].load += b.weigh(r)
			b.owners[r.holder].runs++
		}
	}
}

// give hands the points from i up to j of the k-th run to an owner, and the space around them: up to the run's own edge
// where no point remains on that side.
func (b *board) give(k, i, j, to int) {
	old := b.runs[k]
	moved := old
	moved.holder, moved.i, moved.j = to, i, j
	parts := make([]run, 0, 3)
	if i > old.i {
		moved.start = b.cut(i)
		parts = append(parts, run{old.start, moved.start - 1, old.i, i, old.holder})
	}
	parts = append(parts, moved)
	if j < old.j {
		at := b.cut(j)
		parts[len(parts)-1].last = at - 1
		parts = append(parts, run{at, old.last, j, old.j, old.holder})
	}
	b.runs = slices.Replace(b.runs, k, k+1, parts...)
	b.settle()
}

func (b *board) clone() *board {
	c := *b
	c.owners, c.runs = slices.Clone(b.owners), slices.Clone(b.runs)
	return &c
}

func (b *board) weigh(r run) float64 { return b.between(r.i, r.j) }

// ratio is what an owner has of what is fair.
func (b *board) ratio(o int) float64 { return b.owners[o].load / b.owners[o].fair }

// lack is how much an owner is short of what is fair.
func (b *board) lack(o int) float64 { return b.owners[o].fair - b.owners[o].load }

// room tells whether an owner may have one more range.
func (b *board) room(o int) bool { return b.owners[o].runs < MaxRanges }

func (b *board) imbalance() float64 {
	top := 0.0
	for o := range b.owners {
		top = max(top, b.ratio(o))
	}
	return top
}

// beside is who holds the runs before and behind the k-th; nobody at the edges of the space.
func (b *board) beside(k int) (left, right int) {
	left, right = nobody, nobody
	if k > 0 {
		left = b.runs[k-1].holder
	}
	if k+1 < len(b.runs) {
		right = b.runs[k+1].holder
	}
	return left, right
}

// neediest is the owner, except one, who lacks most of those who may have one more range; the first of equals.
func (b *board) neediest(except int) int {
	best := nobody
	for o := range b.owners {
		if o != except && b.room(o) && b.lack(o) > 0 && (best == nobody || b.lack(o) > b.lack(best)) {
			best = o
		}
	}
	return best
}

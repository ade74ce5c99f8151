package hashspace

import (
	"cmp"
	"slices"
)

// move is a candidate: the points from i up to j of the k-th run go to another owner.
type move struct {
	k, i, j, to int
	// after is the greater of the two owners' ratios after the move.
	after  float64
	ranges int // by how much the number of ranges grows
	weight float64
}

// better orders moves: a lower ratio is better down to the tolerance, then fewer ranges, then less weight.
func (m move) better(o move, tolerance float64) bool {
	return cmp.Or(
		cmp.Compare(max(m.after, tolerance), max(o.after, tolerance)),
		cmp.Compare(m.ranges, o.ranges),
		cmp.Compare(m.weight, o.weight),
	) < 0
}

// balance moves load from owners above the tolerance to owners below their fair load, until no owner is above the tolerance
// or no move is an improvement. Each step lowers the ratio of the owner that gives and raises no other to the old value, so
// the loop terminates; the limit guards against rounding errors.
func (a *assignment) balance() {
	for range 64*len(a.owners) + 1024 {
		if !a.balanceOnce() {
			return
		}
	}
}

func (a *assignment) balanceOnce() bool {
	var above []int
	for o := range a.owners {
		if a.ratio(o) > a.tolerance {
			above = append(above, o)
		}
	}
	slices.SortStableFunc(above, func(x, y int) int { return cmp.Compare(a.ratio(y), a.ratio(x)) })
	// If no move helps the heaviest owner, a single point is too heavy. The other owners may still be improved.
	for _, o := range above {
		for _, search := range []func(int) (move, bool){a.edgeMove, a.innerMove, a.cascade} {
			if m, ok := search(o); ok {
				a.give(m.k, m.i, m.j, m.to)
				return true
			}
		}
		if a.swap(o) {
			return true
		}
	}
	return false
}

// weighMove sets the weight and ratio of a move and reports whether it is an improvement.
func (a *assignment) weighMove(m *move, from int) bool {
	m.weight = a.between(m.i, m.j)
	if m.i >= m.j || m.weight <= 0 {
		return false
	}
	f, t := a.owners[from], a.owners[m.to]
	m.after = max((f.load-m.weight)/f.fair, (t.load+m.weight)/t.fair)
	return m.after < a.ratio(from)*(1-1e-9)
}

// edgeMove finds the best move of points at the edge of one of the owner's runs to an owner below its fair load.
func (a *assignment) edgeMove(from int) (move, bool) {
	best, found := move{}, false
	neediest := a.neediest(from)
	for k, r := range a.runs {
		if r.holder != from {
			continue
		}
		left, right := a.neighbours(k)
		for _, to := range []int{left, right, neediest} {
			if to != none && a.deficit(to) > 0 {
				a.edges(k, to, min(-a.deficit(from), a.deficit(to)), &best, &found)
			}
		}
	}
	return best, found
}

// cascade finds the best move to an adjacent owner with a lower ratio, even if that owner is above its fair load; later steps
// move the surplus on. Some load then moves more than once. It is the last resort when the owners with a deficit already
// have the maximum number of ranges.
func (a *assignment) cascade(from int) (move, bool) {
	best, found := move{}, false
	for k, r := range a.runs {
		if r.holder != from {
			continue
		}
		left, right := a.neighbours(k)
		for _, to := range []int{left, right} {
			if to != none && a.ratio(to) < a.ratio(from) {
				a.edges(k, to, a.evens(from, to), &best, &found)
			}
		}
	}
	// Ignore very small improvements, which would take many steps.
	return best, found && best.after < a.ratio(from)*(1-1e-3)
}

// evens returns how much load must move from one owner to another to make their ratios equal.
func (a *assignment) evens(from, to int) float64 {
	f, t := a.owners[from], a.owners[to]
	return (f.load*t.fair - t.load*f.fair) / (f.fair + t.fair)
}

// edges considers moves of about the budget from both edges of the k-th run to an owner. If the owner is adjacent on one
// side only, just that side is considered, because the other would cost it a new range.
func (a *assignment) edges(k, to int, budget float64, best *move, found *bool) {
	r := a.runs[k]
	left, right := a.neighbours(k)
	consider := func(i, j, neighbour int) {
		m := move{k: k, i: i, j: j, to: to}
		if to != neighbour {
			m.ranges++
		}
		if i == r.i && j == r.j {
			m.ranges--
		}
		if a.weighMove(&m, r.holder) && (!*found || m.better(*best, a.tolerance)) {
			*best, *found = m, true
		}
	}
	if to == left || to != right {
		j := min(a.reach(r.i, budget), r.j)
		consider(r.i, j, left)
		consider(r.i, min(j+1, r.j), left)
	}
	if to == right || to != left {
		i := max(a.reachBack(r.j, budget), r.i)
		consider(i, r.j, right)
		consider(max(i-1, r.i), r.j, right)
	}
}

// innerMove finds the best move of points from the inside of one of the owner's runs, for owners whose edge points are all
// too heavy. It costs both owners a range.
func (a *assignment) innerMove(from int) (move, bool) {
	best, found := move{}, false
	to := a.neediest(from)
	if to == none || !a.canAddRange(from) || a.deficit(to) <= 0 {
		return best, false
	}
	budget := min(-a.deficit(from), a.deficit(to))
	for k, r := range a.runs {
		if r.holder != from {
			continue
		}
		j := r.i
		for i := r.i; i < r.j; i++ {
			for j = max(j, i); j < r.j && a.between(i, j+1) <= budget; j++ {
			}
			for _, end := range []int{j, min(j+1, r.j)} {
				m := move{k: k, i: i, j: end, to: to, ranges: 2}
				if a.weighMove(&m, from) && (!found || m.better(best, a.tolerance)) {
					best, found = m, true
				}
			}
		}
	}
	return best, found
}

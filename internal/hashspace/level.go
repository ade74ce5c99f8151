package hashspace

import (
	"cmp"
	"slices"
)

// move is a window of a run's points that may go to another owner.
type move struct {
	k, i, j, to int
	// after is the greater of the two ratios once it is done.
	after  float64
	ranges int // how many more there will be
	weight float64
}

// better orders moves: what ends within the tolerance is good enough, and then fewer ranges and less weight count.
func (m move) better(o move, tolerance float64) bool {
	return cmp.Or(
		cmp.Compare(max(m.after, tolerance), max(o.after, tolerance)),
		cmp.Compare(m.ranges, o.ranges),
		cmp.Compare(m.weight, o.weight),
	) < 0
}

// level takes from those above the tolerance and gives to those below what is fair, until nobody is above it or nothing
// makes it better. Each step lowers the ratio of the owner it takes from and lifts no other to where that was, so that
// it ends; the count is for what rounding may do.
func (b *board) level() {
	for range 64*len(b.owners) + 1024 {
		if !b.levelOnce() {
			return
		}
	}
}

func (b *board) levelOnce() bool {
	var above []int
	for o := range b.owners {
		if b.ratio(o) > b.tolerance {
			above = append(above, o)
		}
	}
	slices.SortStableFunc(above, func(x, y int) int { return cmp.Compare(b.ratio(y), b.ratio(x)) })
	// If nothing helps the heaviest, one point weighs too much, and the others still may be helped.
	for _, o := range above {
		for _, search := range []func(int) (move, bool){b.edgeMove, b.innerMove, b.shove} {
			if m, ok := search(o); ok {
				b.give(m.k, m.i, m.j, m.to)
				return true
			}
		}
		if b.swap(o) {
			return true
		}
	}
	return false
}

// weighMove completes a move and tells whether it makes anything better.
func (b *board) weighMove(m *move, from int) bool {
	m.weight = b.between(m.i, m.j)
	if m.i >= m.j || m.weight <= 0 {
		return false
	}
	f, t := b.owners[from], b.owners[m.to]
	m.after = max((f.load-m.weight)/f.fair, (t.load+m.weight)/t.fair)
	return m.after < b.ratio(from)*(1-1e-9)
}

// edgeMove finds the best move of what is at the edge of one of the owner's runs, to one who has less than what is fair.
func (b *board) edgeMove(from int) (move, bool) {
	best, found := move{}, false
	neediest := b.neediest(from)
	for k, r := range b.runs {
		if r.holder != from {
			continue
		}
		left, right := b.beside(k)
		for _, to := range []int{left, right, neediest} {
			if to != nobody && b.lack(to) > 0 {
				b.edges(k, to, min(-b.lack(from), b.lack(to)), &best, &found)
			}
		}
	}
	return best, found
}

// shove finds the best move to a neighbour that has less than the owner, be it more than what is fair; it will shove in its
// turn. That moves more than once what could move once, but is all there is when those who lack have no room for more ranges.
func (b *board) shove(from int) (move, bool) {
	best, found := move{}, false
	for k, r := range b.runs {
		if r.holder != from {
			continue
		}
		left, right := b.beside(k)
		for _, to := range []int{left, right} {
			if to != nobody && b.ratio(to) < b.ratio(from) {
				b.edges(k, to, b.evens(from, to), &best, &found)
			}
		}
	}
	// Steps that become ever smaller would be many.
	return best, found && best.after < b.ratio(from)*(1-1e-3)
}

// evens is how much must go from one owner to another to make their ratios equal.
func (b *board) evens(from, to int) float64 {
	f, t := b.owners[from], b.owners[to]
	return (f.load*t.fair - t.load*f.fair) / (f.fair + t.fair)
}

// edges weighs what may go to an owner from both edges of the k-th run, about as much as the budget. It does not ask one
// who is no neighbour on one side but is on the other for a new range.
func (b *board) edges(k, to int, budget float64, best *move, found *bool) {
	r := b.runs[k]
	left, right := b.beside(k)
	consider := func(i, j, neighbour int) {
		m := move{k: k, i: i, j: j, to: to}
		if to != neighbour {
			m.ranges++
		}
		if i == r.i && j == r.j {
			m.ranges--
		}
		if b.weighMove(&m, r.holder) && (!*found || m.better(*best, b.tolerance)) {
			*best, *found = m, true
		}
	}
	if to == left || to != right {
		j := min(b.reach(r.i, budget), r.j)
		consider(r.i, j, left)
		consider(r.i, min(j+1, r.j), left)
	}
	if to == right || to != left {
		i := max(b.reachBack(r.j, budget), r.i)
		consider(i, r.j, right)
		consider(max(i-1, r.i), r.j, right)
	}
}

// innerMove finds the best move of what is inside one of the owner's runs, for when the points at all edges are too heavy.
// It costs both sides a range.
func (b *board) innerMove(from int) (move, bool) {
	best, found := move{}, false
	to := b.neediest(from)
	if to == nobody || !b.room(from) || b.lack(to) <= 0 {
		return best, false
	}
	budget := min(-b.lack(from), b.lack(to))
	for k, r := range b.runs {
		if r.holder != from {
			continue
		}
		j := r.i
		for i := r.i; i < r.j; i++ {
			for j = max(j, i); j < r.j && b.between(i, j+1) <= budget; j++ {
			}
			for _, end := range []int{j, min(j+1, r.j)} {
				m := move{k: k, i: i, j: end, to: to, ranges: 2}
				if b.weighMove(&m, from) && (!found || m.better(best, b.tolerance)) {
					best, found = m, true
				}
			}
		}
	}
	return best, found
}

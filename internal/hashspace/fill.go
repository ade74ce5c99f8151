package hashspace

// slice is a piece at the edge of a run that may move to another owner.
type slice struct {
	k, i, j int
	// The slice with the highest rank is moved, and of equals the leftmost.
	rank int
}

// fill gives joining owners load up to their fair load.
//
// It first takes from owners above the tolerance, down to their fair load. Only if that is not enough does it take a little
// from others. All of that load has to move in any case, so the movement is minimal.
func (a *assignment) fill() {
	for o := range a.owners {
		if !a.owners[o].joins {
			continue
		}
		a.fillFrom(o, a.tolerance, 1)
		a.fillFrom(o, 1, max(0, 2-a.tolerance))
	}
}

// fillFrom fills an owner from the owners whose ratio is above a bound, and leaves them at least with the ratio floor.
func (a *assignment) fillFrom(to int, above, floor float64) {
	// An owner that is above the bound at the start may give several slices, until its ratio reaches the floor.
	gives := make([]bool, len(a.owners))
	for o := range a.owners {
		gives[o] = o != to && a.ratio(o) > above
	}
	least := a.owners[to].fair * minFraction
	for a.deficit(to) > least {
		best := slice{rank: -1}
		for k, r := range a.runs {
			if !r.unassigned() && gives[r.holder] {
				a.offer(&best, k, to, floor)
			}
		}
		if best.rank < 0 {
			return
		}
		a.give(best.k, best.i, best.j, to)
	}
}

// offer sets best to the better of a run's two edges if that ranks higher than best.
func (a *assignment) offer(best *slice, k, to int, floor float64) {
	r := a.runs[k]
	from := a.owners[r.holder]
	budget := min(from.load-floor*from.fair, a.deficit(to))
	least := a.owners[to].fair * minFraction
	if budget < least {
		return
	}
	left, right := a.neighbours(k)
	consider := func(i, j, neighbour int) {
		weight := a.between(i, j)
		if weight < least || neighbour != to && !a.canAddRange(to) {
			return
		}
		s := slice{k, i, j, rank(weight >= budget*0.9, neighbour == to, i == r.i && j == r.j)}
		if s.rank > best.rank {
			*best = s
		}
	}
	consider(max(a.reachBack(r.j, budget), r.i), r.j, right)
	consider(r.i, min(a.reach(r.i, budget), r.j), left)
}

// rank prefers a slice that is adjacent to a range of the joining owner; then one that covers the whole deficit; and then
// one that is its whole run. As the end of a run is considered before its start, the leftmost slice is mostly followed by a
// run of another giver, whose slice will be adjacent: from whole ranges, a joining owner gets one range for two givers.
func rank(enough, joins, whole bool) int {
	n := 0
	for _, good := range []bool{joins, enough, whole} {
		n *= 2
		if good {
			n++
		}
	}
	return n
}

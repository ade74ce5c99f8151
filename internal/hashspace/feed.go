package hashspace

// slice is a piece at the edge of a run that may change hands.
type slice struct {
	k, i, j int
	// rank tells how good it is; the highest wins, and of equals the leftmost.
	rank int
}

// feed fills those who came, up to what is fair.
//
// It first takes from those who have too much, so that they have what is fair afterwards, and only if that is not enough a
// little from others. All of it would have to move anyway, so that this is the least there is.
func (b *board) feed() {
	for o := range b.owners {
		if !b.owners[o].comes {
			continue
		}
		b.feedFrom(o, b.tolerance, 1)
		b.feedFrom(o, 1, max(0, 2-b.tolerance))
	}
}

// feedFrom fills an owner from those whose ratio is above a bound, and leaves them with the ratio floor.
func (b *board) feedFrom(to int, above, floor float64) {
	// Whoever was above it once may give until it is at the floor, in more than one slice.
	gives := make([]bool, len(b.owners))
	for o := range b.owners {
		gives[o] = o != to && b.ratio(o) > above
	}
	least := b.owners[to].fair * crumb
	for b.lack(to) > least {
		best := slice{rank: -1}
		for k, r := range b.runs {
			if !r.orphan() && gives[r.holder] {
				b.offer(&best, k, to, floor)
			}
		}
		if best.rank < 0 {
			return
		}
		b.give(best.k, best.i, best.j, to)
	}
}

// offer puts the better of a run's two edges into best, if it is better than what is there.
func (b *board) offer(best *slice, k, to int, floor float64) {
	r := b.runs[k]
	from := b.owners[r.holder]
	budget := min(from.load-floor*from.fair, b.lack(to))
	least := b.owners[to].fair * crumb
	if budget < least {
		return
	}
	left, right := b.beside(k)
	consider := func(i, j, neighbour int) {
		weight := b.between(i, j)
		if weight < least || neighbour != to && !b.room(to) {
			return
		}
		s := slice{k, i, j, rank(weight >= budget*0.9, neighbour == to, i == r.i && j == r.j)}
		if s.rank > best.rank {
			*best = s
		}
	}
	consider(max(b.reachBack(r.j, budget), r.i), r.j, right)
	consider(r.i, min(b.reach(r.i, budget), r.j), left)
}

// rank prefers a slice that joins what the newcomer has; then one that is all that is wanted; and then one that leaves
// nothing of its run. As the end of a run is looked at before its start, the leftmost slice mostly has another giver
// behind it, whose slice will join: from whole ranges, a newcomer gets one for two givers.
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

package hashspace

import (
	"cmp"
	"slices"
	"sort"
)

// partners is the number of lightest owners with which a swap is tried.
const partners = 8

// spot is one point of a run.
type spot struct {
	i      int
	weight float64
}

// swap exchanges a heavy point of an owner for a lighter one of another. It is used if every point of the owner is too heavy
// to move, which happens when points are about as heavy as an owner's fair load.
func (a *assignment) swap(from int) bool {
	if a.owners[from].runs+2 > MaxRanges {
		return false
	}
	others := make([]int, 0, len(a.owners))
	for o, other := range a.owners {
		if o != from && other.runs+2 <= MaxRanges {
			others = append(others, o)
		}
	}
	slices.SortStableFunc(others, func(x, y int) int { return cmp.Compare(a.ratio(x), a.ratio(y)) })
	mine := a.spots(from)
	for _, o := range others[:min(partners, len(others))] {
		give, take, ok := a.bestSwap(mine, from, o)
		if !ok {
			continue
		}
		a.giveAt(give.i, o)
		a.giveAt(take.i, from)
		return true
	}
	return false
}

// giveAt assigns one point to an owner.
func (a *assignment) giveAt(i, to int) {
	k := sort.Search(len(a.runs), func(k int) bool { return a.runs[k].j > i })
	a.give(k, i, i+1, to)
}

// spots lists an owner's points, the lightest first.
func (a *assignment) spots(o int) []spot {
	var out []spot
	for _, r := range a.runs {
		if r.holder != o {
			continue
		}
		for i := r.i; i < r.j; i++ {
			out = append(out, spot{i, a.between(i, i+1)})
		}
	}
	slices.SortStableFunc(out, func(x, y spot) int { return cmp.Compare(x.weight, y.weight) })
	return out
}

func (a *assignment) bestSwap(mine []spot, from, to int) (give, take spot, ok bool) {
	f, t := a.owners[from], a.owners[to]
	wish := a.evens(from, to)
	theirs := a.spots(to)
	best := a.ratio(from) * (1 - 1e-9)
	for _, m := range mine {
		n, _ := slices.BinarySearchFunc(theirs, m.weight-wish, func(s spot, w float64) int { return cmp.Compare(s.weight, w) })
		for _, at := range []int{n - 1, n} {
			if at < 0 || at >= len(theirs) || theirs[at].weight >= m.weight {
				continue
			}
			over := m.weight - theirs[at].weight
			if after := max((f.load-over)/f.fair, (t.load+over)/t.fair); after < best {
				best, give, take, ok = after, m, theirs[at], true
			}
		}
	}
	return give, take, ok
}

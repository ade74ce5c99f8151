package hashspace

import (
	"cmp"
	"slices"
	"sort"
)

// partners is with how many of the lightest owners a swap is tried.
const partners = 8

// spot is one point of a run.
type spot struct {
	i      int
	weight float64
}

// swap exchanges a heavy point of an owner for a lighter one of another. It is for when all that the owner has is too heavy
// to be given away, which takes points of about the size of what is fair.
func (b *board) swap(from int) bool {
	if b.owners[from].runs+2 > MaxRanges {
		return false
	}
	others := make([]int, 0, len(b.owners))
	for o, other := range b.owners {
		if o != from && other.runs+2 <= MaxRanges {
			others = append(others, o)
		}
	}
	slices.SortStableFunc(others, func(x, y int) int { return cmp.Compare(b.ratio(x), b.ratio(y)) })
	mine := b.spots(from)
	for _, o := range others[:min(partners, len(others))] {
		give, take, ok := b.bestSwap(mine, from, o)
		if !ok {
			continue
		}
		b.giveAt(give.i, o)
		b.giveAt(take.i, from)
		return true
	}
	return false
}

// giveAt gives one point to an owner, wherever it is now.
func (b *board) giveAt(i, to int) {
	k := sort.Search(len(b.runs), func(k int) bool { return b.runs[k].j > i })
	b.give(k, i, i+1, to)
}

// spots lists an owner's points, the lightest first.
func (b *board) spots(o int) []spot {
	var out []spot
	for _, r := range b.runs {
		if r.holder != o {
			continue
		}
		for i := r.i; i < r.j; i++ {
			out = append(out, spot{i, b.between(i, i+1)})
		}
	}
	slices.SortStableFunc(out, func(x, y spot) int { return cmp.Compare(x.weight, y.weight) })
	return out
}

func (b *board) bestSwap(mine []spot, from, to int) (give, take spot, ok bool) {
	f, t := b.owners[from], b.owners[to]
	wish := b.evens(from, to)
	theirs := b.spots(to)
	best := b.ratio(from) * (1 - 1e-9)
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

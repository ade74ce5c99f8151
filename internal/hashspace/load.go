package hashspace

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sort"
)

// Load is what was observed at one point of the space: how much work hashes there. A weight that is negative, infinite
// or not a number counts as 0.
type Load struct {
	Hash   uint64
	Weight float64
}

// points are loads in the order of their hashes, each hash once.
type points struct {
	hash []uint64
	// sum[i] is the weight of all points before the i-th.
	// Invariant: len(sum) == len(hash)+1, and it never falls.
	sum []float64
	// even is set if the points stand for all of the space after them.
	even bool
}

func newPoints(loads []Load) points {
	sorted := make([]Load, len(loads))
	top := 0.0
	for i, l := range loads {
		if !(l.Weight > 0) || math.IsInf(l.Weight, 0) {
			l.Weight = 0
		}
		sorted[i] = l
		top = max(top, l.Weight)
	}
	slices.SortFunc(sorted, func(a, b Load) int {
		// By weight too, so that the sums do not depend on the order in which the loads were given.
		return cmp.Or(cmp.Compare(a.Hash, b.Hash), cmp.Compare(a.Weight, b.Weight))
	})
	// Weights at either end of what a float can hold are brought to about 1. A power of two loses nothing.
	_, exponent := math.Frexp(top)
	scaled := exponent > 900 || exponent < -900
	p := points{hash: make([]uint64, 0, len(sorted)), sum: make([]float64, 1, len(sorted)+1)}
	sum := 0.0
	for i, l := range sorted {
		if scaled {
			l.Weight = math.Ldexp(l.Weight, -exponent)
		}
		sum += l.Weight
		if i+1 < len(sorted) && sorted[i+1].Hash == l.Hash {
			continue
		}
		p.hash, p.sum = append(p.hash, l.Hash), append(p.sum, sum)
	}
	return p
}

// evenPoints returns the points of a space without loads: the weight of a point is its distance to the next. There is one at
// each of the given hashes, so that what lies between two of those is counted exactly.
func evenPoints(at []uint64) points {
	const grid = 1 << 16
	hash := make([]uint64, 0, grid+len(at))
	for i := range uint64(grid) {
		hash = append(hash, i*(1<<48))
	}
	hash = append(hash, at...)
	slices.Sort(hash)
	p := points{hash: slices.Compact(hash), sum: make([]float64, 1, len(hash)+1), even: true}
	for i := range p.hash {
		end := uint64(0)
		if i+1 < len(p.hash) {
			end = p.hash[i+1]
		}
		p.sum = append(p.sum, Range{0, end}.share())
	}
	return p
}

func (p points) len() int { return len(p.hash) }

func (p points) total() float64 { return p.sum[len(p.sum)-1] }

// between returns the weight of the points from i up to, but not including, j.
func (p points) between(i, j int) float64 { return p.sum[j] - p.sum[i] }

// in returns the first point of a range and the first after it.
func (p points) in(r Range) (i, j int) {
	i, _ = slices.BinarySearch(p.hash, r.Start)
	if r.End == 0 {
		return i, p.len()
	}
	j, _ = slices.BinarySearch(p.hash, r.End)
	return i, j
}

// reach returns the greatest j such that the points from i up to j weigh no more than the budget.
func (p points) reach(i int, budget float64) int {
	return i + sort.Search(p.len()-i, func(n int) bool { return p.between(i, i+n+1) > budget })
}

// reachBack returns the smallest i such that the points from i up to j weigh no more than the budget.
func (p points) reachBack(j int, budget float64) int {
	return sort.Search(j, func(i int) bool { return p.between(i, j) <= budget })
}

// cut returns where a range whose first point is j begins. Of all hashes after point j-1 and up to point j it is the
// roundest: two plans for nearly the same load then mostly use the same cut, and nothing moves because of it.
func (p points) cut(j int) uint64 {
	before, at := p.hash[j-1], p.hash[j]
	if p.even {
		return at
	}
	differ := 63 - bits.LeadingZeros64(before^at)
	return at &^ (1<<differ - 1)
}

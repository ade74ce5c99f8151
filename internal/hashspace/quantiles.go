package hashspace

import (
	"container/heap"
	"fmt"
	"math"
	"slices"
)

// Quantiles cuts the space into n ranges such that the heaviest of them is as light as possible: no other n contiguous
// ranges do better. Points with the same hash stay together. Where that leaves a choice, the ranges come close to the mean,
// and each has a point in it. With fewer points than ranges, the widest ranges are halved until there are enough.
//
// Without any points it is Equal, up to the place where the odd remainders go.
func Quantiles(loads []Load, n int) ([]Range, error) {
	if n < 1 || n > maxEqual {
		return nil, fmt.Errorf("cannot cut the space into %d ranges; it must be 1 to %d", n, maxEqual)
	}
	p := newPoints(loads)
	if p.total() == 0 {
		return Equal(n), nil
	}
	parts := min(n, p.len())
	ranges := p.ranges(p.partition(slices.Repeat([]float64{1}, parts), 1))
	return halve(ranges, n), nil
}

// ranges returns the ranges that positions between points delimit: the i-th ends before point ends[i].
func (p points) ranges(ends []int) []Range {
	ranges := make([]Range, len(ends))
	for i, end := range ends[:len(ends)-1] {
		at := p.cut(end)
		ranges[i].End, ranges[i+1].Start = at, at
	}
	return ranges
}

// partition cuts the points into one part for each share, in this order, such that the greatest weight/share is as small as
// possible. It returns where each part ends; the last one ends behind all points. Each part gets at least so many points,
// 0 or 1; for 1 the shares must be equal, and no more than there are points.
func (p points) partition(shares []float64, least int) []int {
	limit := p.limit(shares)
	n, k := len(shares), p.len()
	// from[i] is the earliest point at which part i may begin, if it and those behind it are to hold the rest.
	from := make([]int, n+1)
	from[n] = k
	for i := n - 1; i >= 0; i-- {
		from[i] = max(p.reachBack(from[i+1], limit*shares[i]), i*least)
	}
	ends := make([]int, n)
	begin, left := 0, 0.0
	for _, s := range shares {
		left += s
	}
	for i, s := range shares[:n-1] {
		lowest := max(from[i+1], begin+least)
		highest := max(lowest, min(p.reach(begin, limit*s), k-(n-1-i)*least))
		ends[i] = p.nearest(begin, lowest, highest, p.between(begin, k)*(s/left))
		begin, left = ends[i], left-s
	}
	ends[n-1] = k
	return ends
}

// nearest returns the j from low to high for which the points from i to j weigh closest to the wish.
func (p points) nearest(i, low, high int, wish float64) int {
	j := min(max(p.reach(i, wish), low), high)
	if j < high && p.between(i, j+1)-wish < wish-p.between(i, j) {
		j++
	}
	return j
}

// limit returns the smallest weight per unit of share at which all points can be assigned from left to right. A float's bits
// have the order of its value, so that halving the bits finds it to the last one. It is exact: what is compared are the
// same differences of sums that partition uses, and they never fall as a part grows.
func (p points) limit(shares []float64) float64 {
	low, high := uint64(0), math.Float64bits(p.total()/slices.Min(shares)*2)
	for low < high {
		middle := low + (high-low)/2
		if p.fits(shares, math.Float64frombits(middle)) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return math.Float64frombits(low)
}

func (p points) fits(shares []float64, limit float64) bool {
	i := 0
	for _, s := range shares {
		if i = p.reach(i, limit*s); i == p.len() {
			return true
		}
	}
	return false
}

// halve cuts the widest ranges in two until there are n, and returns them in order.
func halve(ranges []Range, n int) []Range {
	if len(ranges) >= n {
		return ranges
	}
	h := widest(ranges)
	heap.Init(&h)
	for len(h) < n {
		r := h[0]
		middle := r.Start + (r.last()-r.Start)/2 + 1
		h[0].End = middle
		heap.Fix(&h, 0)
		heap.Push(&h, Range{middle, r.End})
	}
	slices.SortFunc(h, byStart)
	return h
}

// widest is a heap with the widest range on top, and of those as wide the first.
type widest []Range

func (w widest) Len() int { return len(w) }
func (w widest) Less(i, j int) bool {
	a, b := w[i].last()-w[i].Start, w[j].last()-w[j].Start
	return a > b || a == b && w[i].Start < w[j].Start
}
func (w widest) Swap(i, j int) { w[i], w[j] = w[j], w[i] }
func (w *widest) Push(x any)   { *w = append(*w, x.(Range)) }
func (w *widest) Pop() any {
	last := (*w)[len(*w)-1]
	*w = (*w)[:len(*w)-1]
	return last
}

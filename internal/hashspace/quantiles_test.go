package hashspace

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawLoads makes loads of which some share a hash, some weigh nothing, and some are nonsense.
func drawLoads(t *rapid.T, most int) []Load {
	hash := rapid.OneOf(rapid.Uint64(), rapid.SampledFrom(edges), rapid.Uint64Range(0, 20))
	weight := rapid.OneOf(
		rapid.Map(rapid.IntRange(0, 10), func(n int) float64 { return float64(n) }),
		rapid.Map(rapid.IntRange(0, 10), func(n int) float64 { return float64(n) }),
		rapid.SampledFrom([]float64{0, 100, math.NaN(), -1, math.Inf(1), math.Inf(-1)}),
	)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Load {
		return Load{hash.Draw(t, "hash"), weight.Draw(t, "weight")}
	}), 0, most).Draw(t, "loads")
}

// simplest finds the best heaviest part of all contiguous partitions, by trying them all with a table.
func simplest(loads []Load, n int) float64 {
	merged := map[uint64]float64{}
	for _, l := range loads {
		if l.Weight > 0 && !math.IsInf(l.Weight, 0) {
			merged[l.Hash] += l.Weight
		}
	}
	var hashes []uint64
	for h := range merged {
		hashes = append(hashes, h)
	}
	slices.Sort(hashes)
	// best[j] is the answer for the first j points and the parts so far.
	best := make([]float64, len(hashes)+1)
	for j := range best {
		if j > 0 {
			best[j] = math.Inf(1)
		}
	}
	for range n {
		next := slices.Clone(best)
		for j := range next {
			sum := 0.0
			for i := j - 1; i >= 0; i-- {
				sum += merged[hashes[i]]
				next[j] = min(next[j], max(best[i], sum))
			}
		}
		best = next
	}
	return best[len(hashes)]
}

func heaviest(loads []Load, ranges []Range) float64 {
	top := 0.0
	for _, r := range ranges {
		sum := 0.0
		for _, l := range loads {
			if r.Contains(l.Hash) && l.Weight > 0 && !math.IsInf(l.Weight, 0) {
				sum += l.Weight
			}
		}
		top = max(top, sum)
	}
	return top
}

func checkCover(t *rapid.T, ranges []Range, n int) {
	t.Helper()
	if len(ranges) != n {
		t.Fatalf("%d ranges, want %d", len(ranges), n)
	}
	if err := Cover(assign(ranges)); err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(ranges, byStart) {
		t.Fatalf("not in order: %v", ranges)
	}
}

func TestQuantilesAreOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loads := drawLoads(t, 20)
		n := rapid.IntRange(1, 8).Draw(t, "n")
		ranges, err := Quantiles(loads, n)
		if err != nil {
			t.Fatal(err)
		}
		checkCover(t, ranges, n)
		// The weights are whole numbers: sums are exact.
		if got, want := heaviest(loads, ranges), simplest(loads, n); got != want {
			t.Fatalf("the heaviest of %v is %v, but %v can be reached", ranges, got, want)
		}
	})
}

// With enough points, no range is left without one, and so no owner without work.
func TestQuantilesLeaveNoOwnerIdle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hashes := rapid.SliceOfNDistinct(rapid.Uint64(), 4, 30, rapid.ID).Draw(t, "hashes")
		var loads []Load
		for _, h := range hashes {
			loads = append(loads, Load{h, rapid.Float64Range(0.1, 50).Draw(t, "weight")})
		}
		ranges, err := Quantiles(loads, 4)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range ranges {
			if heaviest(loads, []Range{r}) == 0 {
				t.Fatalf("%v of %v has no point", r, ranges)
			}
		}
	})
}

func TestQuantilesOfExtremes(t *testing.T) {
	for name, loads := range map[string][]Load{
		"huge":   {{1, math.MaxFloat64}, {2, math.MaxFloat64}, {3, math.MaxFloat64}, {4, math.MaxFloat64}},
		"tiny":   {{1, 5e-324}, {2, 5e-324}, {3, 5e-324}, {4, 5e-324}},
		"plain":  {{4, 1}, {2, 1}, {3, 1}, {1, 1}},
		"merged": {{1, 0.5}, {1, 0.5}, {2, 1}, {3, 1}, {4, 0.25}, {4, 0.75}},
	} {
		ranges, err := Quantiles(loads, 2)
		// The roundest cut behind 2 and up to 3 is 3; the one behind 3 would be 4.
		if err != nil || !slices.Equal(ranges, []Range{{0, 3}, {3, 0}}) {
			t.Errorf("%s: %v, %v", name, ranges, err)
		}
	}
	for _, n := range []int{0, -1, 65537} {
		if _, err := Quantiles(nil, n); err == nil {
			t.Errorf("%d ranges are made", n)
		}
	}
	if ranges, err := Quantiles(nil, 5); err != nil || !slices.Equal(ranges, Equal(5)) {
		t.Errorf("without loads: %v, %v", ranges, err)
	}
	ranges, err := Quantiles([]Load{{math.MaxUint64, 1}, {0, 1}}, 65536)
	if err != nil || len(ranges) != 65536 || Cover(assign(ranges)) != nil {
		t.Errorf("two points, many ranges: %d, %v", len(ranges), err)
	}
}

// Equal ranges of random UIDs are as even as chance allows; cuts at quantiles are even.
func TestQuantilesOfUIDs(t *testing.T) {
	for _, c := range []struct{ n, each int }{{4, 1000}, {8, 1000}, {16, 1000}, {16, 5000}} {
		loads := uids(c.n*c.each, uint64(c.n))
		ranges, err := Quantiles(loads, c.n)
		if err != nil {
			t.Fatal(err)
		}
		equal := imbalance(assign(Equal(c.n)), ids(c.n), loads)
		cut := imbalance(assign(ranges), ids(c.n), loads)
		t.Logf("%d owners, %d UIDs each: equal ranges %.3f, quantiles %.3f", c.n, c.each, equal, cut)
		if chance := 1 + 4/math.Sqrt(float64(c.each)); equal > chance {
			t.Errorf("%d equal ranges: max/mean %.3f, above four standard deviations, %.3f", c.n, equal, chance)
		}
		if cut > 1.001 {
			t.Errorf("%d quantiles: max/mean %.3f", c.n, cut)
		}
	}
}

func BenchmarkQuantiles(b *testing.B) {
	loads := uids(100_000, 1)
	for b.Loop() {
		if _, err := Quantiles(loads, 64); err != nil {
			b.Fatal(err)
		}
	}
}

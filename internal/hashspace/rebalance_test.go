package hashspace

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vedette.dev/internal/testsize"
)

// From N to N+1 owners, one at a time: what moves is the part of the newcomer.
func TestRebalanceGrows(t *testing.T) {
	for name, loads := range map[string][]Load{"shares": nil, "UIDs": uids(20_000, 7)} {
		t.Run(name, func(t *testing.T) {
			var current map[string]Set
			for n := 1; n <= testsize.Of(17, 6); n++ {
				p := mustPlan(t, current, ids(n), loads, 0)
				fair := 1 / float64(n)
				newcomer := p.Owners[fmt.Sprintf("owner-%02d", n-1)]
				t.Logf("to %2d: moved %.4f (%.4f is fair), max/mean %.3f, ranges: newcomer %d, most %d",
					n, p.Moved, fair, p.Imbalance, len(newcomer), mostRanges(p))
				if p.Imbalance > 1.05 {
					t.Errorf("%d owners: max/mean %.3f", n, p.Imbalance)
				}
				if n > 1 && p.Moved > fair+0.01 {
					t.Errorf("to %d owners: %.4f moved", n, p.Moved)
				}
				current = p.Owners
			}
		})
	}
}

// The usual step: owners with one range each, and one more. The newcomer takes at the cuts between two owners, so that it gets
// one range for two of them, and the old ones keep one.
func TestRebalanceGrowsFromWholeRanges(t *testing.T) {
	loads := uids(15_000, 8)
	for n := 1; n <= 16; n++ {
		ranges, err := Quantiles(loads, n)
		if err != nil {
			t.Fatal(err)
		}
		current := assign(ranges)
		p := mustPlan(t, current, ids(n+1), loads, 0)
		if p.Moved > 1/float64(n+1)+0.01 || p.Imbalance > 1.05 {
			t.Errorf("%d to %d: moved %.4f, max/mean %.3f", n, n+1, p.Moved, p.Imbalance)
		}
		for id, s := range p.Owners {
			if _, old := current[id]; old && len(s) > 1 {
				t.Errorf("%d to %d: %s has %d ranges", n, n+1, id, len(s))
			} else if !old && len(s) > (n+1)/2 {
				t.Errorf("%d to %d: the newcomer has %d ranges", n, n+1, len(s))
			}
		}
	}
}

// When one goes, what it held moves, and nothing else.
func TestRebalanceShrinks(t *testing.T) {
	loads := uids(15_000, 9)
	for n := 2; n <= 17; n += testsize.Of(1, 5) {
		ranges, err := Quantiles(loads, n)
		if err != nil {
			t.Fatal(err)
		}
		for _, goes := range []int{0, n / 2, n - 1} {
			current, owners := assign(ranges), ids(n)
			id := fmt.Sprintf("owner-%02d", goes)
			delete(owners, id)
			p := mustPlan(t, current, owners, loads, 0)
			if p.Imbalance > 1.05 {
				t.Errorf("%d to %d: max/mean %.3f", n, n-1, p.Imbalance)
			}
			for other, s := range p.Owners {
				if lost := current[other].Subtract(s); !lost.Empty() {
					t.Errorf("%d to %d, %s goes: %s gives away %v", n, n-1, id, other, lost)
				}
				if len(s) > 2 {
					t.Errorf("%d to %d, %s goes: %s has %d ranges", n, n-1, id, other, len(s))
				}
			}
		}
	}
}

// Owners that come and go for a long time do not make ever more ranges, and balance stays.
func TestRebalanceChurn(t *testing.T) {
	loads := uids(4_000, 10)
	owners := ids(6)
	current := mustPlan(t, nil, owners, loads, 0).Owners
	random := rand.New(rand.NewPCG(1, 1))
	worst, most := 0.0, 0
	for step := range testsize.Of(200, 40) {
		before := len(owners)
		if random.IntN(2) == 0 && before > 4 || before > 12 {
			all := slices.Sorted(maps.Keys(owners))
			delete(owners, all[random.IntN(before)])
		} else {
			owners[fmt.Sprintf("new-%d", step)] = 1
		}
		p := mustPlan(t, current, owners, loads, 0)
		worst, most = max(worst, p.Imbalance), max(most, mostRanges(p))
		if limit := 1/float64(min(before, len(owners)))*1.5 + 0.02; p.Moved > limit {
			t.Errorf("step %d: from %d to %d owners moved %.3f", step, before, len(owners), p.Moved)
		}
		current = p.Owners
	}
	t.Logf("max/mean at most %.3f, ranges at most %d", worst, most)
	if worst > 1.1 || most > 10 {
		t.Errorf("max/mean came to %.3f, and ranges to %d", worst, most)
	}
}

// A rolling update replaces owners one by one; each part moves once, and the cuts stay.
func TestRebalanceRollingUpdate(t *testing.T) {
	loads := uids(10_000, 11)
	owners := ids(5)
	first := mustPlan(t, nil, owners, loads, 0).Owners
	current, moved := first, 0.0
	for i := range 5 {
		old, fresh := fmt.Sprintf("owner-%02d", i), fmt.Sprintf("next-%02d", i)
		delete(owners, old)
		owners[fresh] = 1
		p := mustPlan(t, current, owners, loads, 0)
		if !p.Owners[fresh].Equal(first[old]) {
			t.Errorf("%s has %v, not what %s had", fresh, p.Owners[fresh], old)
		}
		moved += p.Moved
		current = p.Owners
	}
	if math.Abs(moved-1) > 1e-9 {
		t.Errorf("%.3f of the load moved, want 1", moved)
	}
}

func TestRebalanceWeights(t *testing.T) {
	loads := uids(30_000, 12)
	owners := map[string]float64{"small": 0, "medium": 2, "large": 3}
	p := mustPlan(t, nil, owners, loads, 1.02)
	for id, want := range map[string]float64{"small": 1. / 6, "medium": 2. / 6, "large": 3. / 6} {
		if got := holds(p.Owners[id], loads); math.Abs(got-want) > 0.02*want {
			t.Errorf("%s has %.4f, want %.4f", id, got, want)
		}
	}
	owners["small"] = 3
	p2 := mustPlan(t, p.Owners, owners, loads, 1.02)
	if p2.Imbalance > 1.02 || p2.Moved > 3./8-1./6+0.02 {
		t.Errorf("after small became large: max/mean %.3f, moved %.3f", p2.Imbalance, p2.Moved)
	}
	if p3 := mustPlan(t, nil, map[string]float64{"a": 1e308, "b": 1e308, "c": 5e-324}, loads, 0); math.IsNaN(p3.Imbalance) {
		t.Error("weights at the ends of what a float holds: no balance")
	}
}

func TestRebalanceRefuses(t *testing.T) {
	one := map[string]float64{"a": 1}
	for name, c := range map[string]struct {
		current   map[string]Set
		owners    map[string]float64
		tolerance float64
		want      string
	}{
		"no owners": {owners: nil, want: "no owners"},
		"negative":  {owners: map[string]float64{"b": -1}, want: `"b"`},
		"no number": {owners: map[string]float64{"b": math.NaN()}, want: `"b"`},
		"infinite":  {owners: map[string]float64{"b": math.Inf(1)}, want: `"b"`},
		"overlap":   {current: map[string]Set{"a": {{0, 9}}, "z": {{8, 0}}}, owners: one, want: `"a" and "z"`},
		"tolerance": {owners: one, tolerance: 0.9, want: "0.9"},
		"NaN":       {owners: one, tolerance: math.NaN(), want: "NaN"},
	} {
		_, err := Rebalance(c.current, c.owners, nil, c.tolerance)
		t.Run(name, func(t *testing.T) { wantError(t, err, c.want) })
	}
}

// holds is the fraction of the load in a set, counted the slow way.
func holds(s Set, loads []Load) float64 {
	sum, total := 0.0, 0.0
	for _, l := range loads {
		total += l.Weight
		if s.Contains(l.Hash) {
			sum += l.Weight
		}
	}
	return sum / total
}

func reversed(loads []Load) []Load {
	loads = slices.Clone(loads)
	slices.Reverse(loads)
	return loads
}

// drawCurrent makes an assignment with gaps, in which owners may have more than MaxRanges ranges.
func drawCurrent(t *rapid.T, names []string) map[string]Set {
	cuts := rapid.SliceOfNDistinct(rapid.OneOf(rapid.Uint64Min(1), rapid.Uint64Range(1, 20)), 0, 60, rapid.ID).Draw(t, "cuts")
	slices.Sort(cuts)
	cuts = append(append([]uint64{0}, cuts...), 0)
	sets := map[string]Set{}
	for i := range len(cuts) - 1 {
		if who := rapid.SampledFrom(slices.Concat(names, []string{""})).Draw(t, "holder"); who != "" {
			sets[who] = sets[who].Union(Set{{cuts[i], cuts[i+1]}})
		}
	}
	return sets
}

func TestRebalanceKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"a", "b", "c", "d", "e", "f"}
		current := drawCurrent(t, names[:4])
		owners := map[string]float64{}
		for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 6, rapid.ID).Draw(t, "owners") {
			owners[id] = rapid.SampledFrom([]float64{0, 1, 2, 0.5}).Draw(t, "weight")
		}
		loads := drawLoads(t, 40)
		tolerance := rapid.SampledFrom([]float64{0, 1, 1.25, 3}).Draw(t, "tolerance")
		before := maps.Clone(current)
		p, err := Rebalance(current, owners, loads, tolerance)
		if err != nil {
			t.Fatal(err)
		}
		if !maps.EqualFunc(before, current, Set.Equal) {
			t.Fatal("the current assignment was changed")
		}
		checkPlan(t, p, current, owners, loads)

		again, err := Rebalance(current, owners, reversed(loads), tolerance)
		if err != nil || !maps.EqualFunc(p.Owners, again.Owners, Set.Equal) {
			t.Fatalf("the same again is another plan: %v and %v, %v", p, again, err)
		}
		next, err := Rebalance(p.Owners, owners, loads, tolerance)
		if err != nil {
			t.Fatal(err)
		}
		limit := tolerance
		if limit == 0 {
			limit = defaultTolerance
		}
		if p.Imbalance <= limit && (next.Moved > 0 || !maps.EqualFunc(p.Owners, next.Owners, Set.Equal)) {
			t.Fatalf("a plan with max/mean %v is not left alone: %v becomes %v", p.Imbalance, p.Owners, next.Owners)
		}
		if next.Imbalance > max(p.Imbalance, limit)+1e-9 {
			t.Fatalf("a second plan makes it worse: %v after %v", next.Imbalance, p.Imbalance)
		}
	})
}

// checkPlan counts anew what a plan says of itself.
func checkPlan(t *rapid.T, p Plan, current map[string]Set, owners map[string]float64, loads []Load) {
	t.Helper()
	if err := Cover(p.Owners); err != nil {
		t.Fatal(err)
	}
	if len(p.Owners) != len(owners) {
		t.Fatalf("%d owners, want %d", len(p.Owners), len(owners))
	}
	moved, total := 0.0, 0.0
	for _, l := range loads {
		if !(l.Weight > 0) || math.IsInf(l.Weight, 0) {
			continue
		}
		total += l.Weight
		for id, s := range current {
			if s.Contains(l.Hash) && !p.Owners[id].Contains(l.Hash) {
				moved += l.Weight
			}
		}
	}
	if total == 0 {
		total = 1
		for id, s := range current {
			moved += s.Subtract(p.Owners[id]).Share()
		}
	}
	if math.Abs(p.Moved-moved/total) > 1e-9 {
		t.Fatalf("it moves %v and says %v", moved/total, p.Moved)
	}
	if got := imbalance(p.Owners, owners, loads); math.Abs(got-p.Imbalance) > 1e-9*got {
		t.Fatalf("its imbalance is %v and it says %v", got, p.Imbalance)
	}
	for id, s := range p.Owners {
		verify(t, s)
		if _, ok := owners[id]; !ok || len(s) > MaxRanges || s.Empty() {
			t.Fatalf("%s is wanted: %v, and has %v", id, ok, s)
		}
	}
}

func BenchmarkRebalance(b *testing.B) {
	loads := uids(100_000, 1)
	p, err := Rebalance(nil, ids(16), loads, 0)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Rebalance(p.Owners, ids(17), loads, 0); err != nil {
			b.Fatal(err)
		}
	}
}

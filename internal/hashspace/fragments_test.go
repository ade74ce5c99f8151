package hashspace

import (
	"fmt"
	"math"
	"testing"
)

// dealt cuts the space into equal ranges and assigns them round-robin: no two ranges of an owner touch.
func dealt(owners, each int) map[string]Set {
	sets := map[string]Set{}
	for i, r := range Equal(owners * each) {
		id := fmt.Sprintf("owner-%02d", i%owners)
		sets[id] = append(sets[id], r)
	}
	return sets
}

// An assignment that cannot be written as selectors is made one that can, and no less balanced.
func TestRebalanceGathersTooManyRanges(t *testing.T) {
	loads := uids(6000, 20)
	for _, each := range []int{17, 40, 100} {
		p := mustPlan(t, dealt(3, each), ids(3), loads, 0) // which looks at the number of ranges
		if p.Imbalance > 1.05 {
			t.Errorf("%d ranges each: max/mean %.3f", each, p.Imbalance)
		}
	}
}

// Ranges are not gathered for the sake of it: as long as nothing has to move, nothing moves.
func TestRebalanceLeavesRangesAlone(t *testing.T) {
	for _, loads := range [][]Load{nil, uids(50_000, 21)} {
		if p := mustPlan(t, dealt(12, MaxRanges), ids(12), loads, 1.1); p.Moved > 0 {
			t.Errorf("%.4f moved, and max/mean was below the tolerance", p.Moved)
		}
	}
}

// All owners have MaxRanges ranges. Some join or leave, and no owner gets more. The ranges of leaving owners then reach
// the owners with a deficit by way of others, so that up to twice as much moves.
func TestRebalanceWithoutRoom(t *testing.T) {
	loads := uids(6000, 22)
	for n := 2; n <= 12; n++ {
		current := dealt(n, MaxRanges)
		grown := mustPlan(t, current, ids(n+1), loads, 0)
		shrunk := mustPlan(t, current, ids(n-1), loads, 0)
		t.Logf("from %d: one more: max/mean %.3f, moved %.3f; one less: %.3f, %.3f", n, grown.Imbalance, grown.Moved, shrunk.Imbalance, shrunk.Moved)
		if grown.Imbalance > 1.05 || shrunk.Imbalance > 1.05 {
			t.Errorf("%d owners: max/mean %.3f with one more, %.3f with one less", n, grown.Imbalance, shrunk.Imbalance)
		}
		if grown.Moved > 1/float64(n+1)+0.05 || shrunk.Moved > 2/float64(n)+0.01 {
			t.Errorf("%d owners: %.3f moved with one more, %.3f with one less", n, grown.Moved, shrunk.Moved)
		}
	}
}

// Coarse points and no room at once: the cap on ranges holds before balance does.
func TestRebalanceCoarseWithoutRoom(t *testing.T) {
	for seed := range uint64(30) {
		loads := uids(150, seed)
		for i := range loads {
			loads[i].Weight = math.Ceil(300 / float64(i+1))
		}
		for _, n := range []int{3, 5, 9} {
			mustPlan(t, dealt(n, MaxRanges), ids(n), loads, 1)
			mustPlan(t, dealt(n, MaxRanges), ids(n+2), loads, 1)
		}
	}
}

// A successor takes over all ranges of its predecessor, however many.
func TestRebalanceHeirTakesAll(t *testing.T) {
	current, owners := dealt(5, 4), ids(5)
	delete(owners, "owner-02")
	owners["next"] = 1
	p := mustPlan(t, current, owners, uids(50_000, 23), 1.1)
	if !p.Owners["next"].Equal(current["owner-02"]) || math.Abs(p.Moved-0.2) > 0.01 {
		t.Errorf("the heir has %v, not %v; %.3f moved", p.Owners["next"], current["owner-02"], p.Moved)
	}
}

package hashspace

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestRebalanceWithinLeavesTheRestAlone checks that unassigned ranges stay unassigned.
func TestRebalanceWithinLeavesTheRestAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		current := map[string]Set{}
		edges := append(Equal(16), Range{Start: 5, End: 7}, Range{Start: 9, End: 10})
		var within Set
		for i, r := range edges {
			owner := rapid.IntRange(0, 4).Draw(t, "owner")
			if i == 0 || owner == 0 { // the first cell has the two small ranges in it
				continue
			}
			id := fmt.Sprint(owner)
			current[id] = current[id].Union(Set{r})
			within = within.Union(Set{r})
		}
		if within.Empty() {
			return
		}
		owners := map[string]float64{}
		for i := range rapid.IntRange(1, 6).Draw(t, "owners") {
			owners[fmt.Sprint(i)] = rapid.SampledFrom([]float64{0, 1, 3}).Draw(t, "weight")
		}
		var loads []Load
		for range rapid.IntRange(0, 50).Draw(t, "loads") {
			loads = append(loads, Load{Hash: rapid.Uint64().Draw(t, "hash"), Weight: 1})
		}
		plan, err := RebalanceWithin(current, owners, loads, 0)
		if err != nil {
			if within.Share() > 0.01 {
				t.Fatal(err)
			}
			return // of a handful of hashes
		}
		if got := union(plan.Owners); !got.Equal(within) {
			t.Fatalf("the owners have %v, before %v", got, within)
		}
		if err := Disjoint(plan.Owners); err != nil {
			t.Fatal(err)
		}
		for id := range owners {
			if len(plan.Owners[id]) == 0 {
				t.Fatalf("owner %q has nothing: %v", id, plan.Owners)
			}
		}
	})
}

// TestZoomIsExact checks that a part of a set is the same when it was stretched and shrunk, and that hashes stay in it.
func TestZoomIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) Set {
			var s Set
			for i := range 8 {
				if rapid.Bool().Draw(t, name) {
					s = s.Union(Set{Equal(8)[i]})
				}
			}
			return s
		}
		set := draw("set")
		if set.Empty() || set.IsEverything() {
			return
		}
		part := draw("part").Intersect(set)
		z := newZoom(set)
		if got := z.shrinkSet(z.stretchSet(part)); !got.Equal(part) {
			t.Fatalf("%v of %v became %v", part, set, got)
		}
		h := rapid.Uint64().Draw(t, "hash")
		if set.Contains(h) && part.Contains(h) != z.stretchSet(part).Contains(z.stretch(h)) {
			t.Fatalf("%x is in %v: %v, but stretched it is not so", h, part, part.Contains(h))
		}
	})
}

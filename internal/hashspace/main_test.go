package hashspace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// mustSet is for ranges that are right.
func mustSet(t interface {
	Helper()
	Fatal(...any)
}, ranges ...Range) Set {
	t.Helper()
	s, err := NewSet(ranges...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// verify fails the test if a set violates the invariant of Set.
func verify(t interface {
	Helper()
	Fatalf(string, ...any)
}, s Set) {
	t.Helper()
	for i, r := range s {
		if !r.valid() {
			t.Fatalf("the range %v of %v is empty", r, s)
		}
		if i > 0 && (s[i-1].End == 0 || s[i-1].End >= r.Start) {
			t.Fatalf("the ranges %v and %v of a set touch or are not in order", s[i-1], r)
		}
	}
}

// uids hashes random UIDs, each with the weight 1.
func uids(n int, seed uint64) []Load {
	random := rand.New(rand.NewPCG(seed, 1))
	loads := make([]Load, n)
	for i := range loads {
		a, b := random.Uint64(), random.Uint64()
		loads[i] = Load{FNV(fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, 0x8000|b>>48&0x3fff, b&(1<<48-1))), 1}
	}
	return loads
}

// ids makes n owners of the same weight.
func ids(n int) map[string]float64 {
	owners := map[string]float64{}
	for i := range n {
		owners[fmt.Sprintf("owner-%02d", i)] = 1
	}
	return owners
}

// assign gives the i-th range to the i-th owner.
func assign(ranges []Range) map[string]Set {
	sets := map[string]Set{}
	for i, r := range ranges {
		sets[fmt.Sprintf("owner-%02d", i)] = Set{r}
	}
	return sets
}

func mostRanges(p Plan) int {
	most := 0
	for _, s := range p.Owners {
		most = max(most, len(s))
	}
	return most
}

func mustPlan(t *testing.T, current map[string]Set, owners map[string]float64, loads []Load, tolerance float64) Plan {
	t.Helper()
	p, err := Rebalance(current, owners, loads, tolerance)
	if err != nil {
		t.Fatal(err)
	}
	if err := Cover(p.Owners); err != nil {
		t.Fatal(err)
	}
	if len(p.Owners) != len(owners) {
		t.Fatalf("the plan is for %d owners, not %d", len(p.Owners), len(owners))
	}
	if most := mostRanges(p); most > MaxRanges {
		t.Fatalf("an owner has %d ranges", most)
	}
	return p
}

// imbalance returns the greatest load of an owner divided by what is fair for its weight: what [Plan].Imbalance should be, computed
// another way. Without loads, shares of the space count. A weight that is not positive and finite counts as 1.
func imbalance(current map[string]Set, owners map[string]float64, loads []Load) float64 {
	p := newPoints(loads)
	weights, heaviest := make(map[string]float64, len(owners)), 0.0
	for id, weight := range owners {
		if !(weight > 0) || math.IsInf(weight, 0) {
			weight = 1
		}
		weights[id], heaviest = weight, max(heaviest, weight)
	}
	sum, top := 0.0, 0.0
	for id, weight := range weights {
		weight = max(weight/heaviest, leastWeight)
		sum += weight
		top = max(top, p.part(current[id])/weight)
	}
	return top * sum
}

// part returns the share of the load that is in a set, or its share of the space if there is no load.
func (p points) part(s Set) float64 {
	if p.total() == 0 {
		return s.Share()
	}
	load := 0.0
	for _, r := range s {
		i, j := p.in(r)
		load += p.between(i, j)
	}
	return load / p.total()
}

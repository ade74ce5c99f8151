package protocol

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func capacities(n int) []Capacity {
	out := make([]Capacity, n)
	for i := range out {
		out[i] = Capacity{Member(fmt.Sprintf("m%03d", i)), 1}
	}
	return out
}

func ones(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

func count(owners []Member) map[Member]int {
	out := map[Member]int{}
	for _, owner := range owners {
		out[owner]++
	}
	return out
}

func moved(a, b []Member) (n int) {
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

func TestPlanOfANewGroupIsEven(t *testing.T) {
	for _, n := range []int{1, 3, 5, 7} {
		for member, shards := range count(Plan(make([]Member, 64), ones(64), capacities(n), true)) {
			if shards < 64/n || shards > 64/n+1 {
				t.Errorf("%d members: %s has %d of 64", n, member, shards)
			}
		}
	}
}

// A member that joins gets its share, and nothing else moves. One that leaves gives its own away, and nothing else moves.
func TestPlanMovesNoMoreThanNeeded(t *testing.T) {
	for n := 1; n < 12; n++ {
		owners := Plan(make([]Member, 256), ones(256), capacities(n), true)
		more := Plan(owners, ones(256), capacities(n+1), true)
		if got, most := moved(owners, more), 256/(n+1)+1; got > most {
			t.Errorf("%d to %d members moves %d of 256 shards, want at most %d", n, n+1, got, most)
		}
		most, least := 0, 256
		for _, shards := range count(more) {
			most, least = max(most, shards), min(least, shards)
		}
		if float64(most) > 1+Tolerance*256/float64(n+1) || len(count(more)) != n+1 {
			t.Errorf("%d members have %d to %d of 256 shards", n+1, least, most)
		}
		if less := Plan(more, ones(256), capacities(n), true); moved(more, less) != count(more)[capacities(n + 1)[n].Member] {
			t.Errorf("%d to %d members moves %d of 256 shards", n+1, n, moved(more, less))
		}
		if same := Plan(more, ones(256), capacities(n+1), true); moved(more, same) != 0 {
			t.Errorf("a second plan of %d members moves %d shards", n+1, moved(more, same))
		}
	}
}

// In a rolling update a new member joins, and an old one leaves soon after. The new one gets what the old one had.
func TestRollingUpdateMovesEachShardOnce(t *testing.T) {
	members := capacities(6)
	first := Plan(make([]Member, 60), ones(60), members[:5], true)
	joined := Plan(first, ones(60), members, false)
	if moved(first, joined) != 0 {
		t.Errorf("%d shards move while the members change", moved(first, joined))
	}
	after := Plan(joined, ones(60), members[1:], false)
	if got := moved(joined, after); got != 12 || count(after)["m005"] != 12 {
		t.Errorf("%d shards move, and the new member has %d, want 12", got, count(after)["m005"])
	}
}

func TestPlanFollowsLoadAndShares(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	loads := make([]float64, 512)
	sum := 0.0
	for i := range loads {
		loads[i] = 0.5 + r.Float64()
		sum += loads[i]
	}
	members := capacities(4)
	members[3].Share = 2
	has := map[Member]float64{}
	for i, owner := range Plan(make([]Member, 512), loads, members, true) {
		has[owner] += loads[i]
	}
	for _, m := range members {
		if want := sum * m.Share / 5; has[m.Member] > want*Tolerance || has[m.Member] < want*0.9 {
			t.Errorf("%s has %.1f, want %.1f", m.Member, has[m.Member], want)
		}
	}
}

// One shard that is heavier than all others together stays where it is, and the others go elsewhere.
func TestPlanOfOneGiant(t *testing.T) {
	loads := ones(32)
	loads[7] = 1000
	owners := Plan(make([]Member, 32), loads, capacities(4), true)
	if count(owners)[owners[7]] != 1 {
		t.Errorf("the owner of the giant has %d shards", count(owners)[owners[7]])
	}
	if again := Plan(owners, loads, capacities(4), true); moved(owners, again) != 0 {
		t.Errorf("%d shards move in a second plan", moved(owners, again))
	}
}

// A member that joins a group with a giant gets its share of the others.
func TestAGiantDoesNotKeepOthersFromTheirShare(t *testing.T) {
	loads := ones(64)
	loads[7] = 1000
	owners := Plan(make([]Member, 64), loads, capacities(4), true)
	more := Plan(owners, loads, capacities(5), true)
	for member, shards := range count(more) {
		if member != more[7] && (shards < 15 || shards > 17) {
			t.Errorf("%s has %d of 63 shards, and there are four for them", member, shards)
		}
	}
	if more[7] != owners[7] {
		t.Error("the giant has moved")
	}
	if again := Plan(more, loads, capacities(5), true); moved(more, again) != 0 {
		t.Errorf("%d shards move in a second plan", moved(more, again))
	}
	if got := Imbalance(more, loads, capacities(5)); got > Tolerance+0.05 {
		t.Errorf("the imbalance is %.2f, of what can be levelled", got)
	}
	if got := Imbalance(owners, loads, capacities(5)); got < 1.3 {
		t.Errorf("the imbalance before was %.2f", got)
	}
}

// Whatever the loads, a plan ends, a second one moves nothing, and no member could give a shard to another to make both more equal.
func TestPlansOfRandomLoads(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		n, shards := 1+r.IntN(8), 1+r.IntN(64)
		loads := make([]float64, shards)
		for i := range loads {
			loads[i] = math.Pow(10, 3*r.Float64())
		}
		members := capacities(n)
		owners := make([]Member, shards)
		for i := range owners {
			owners[i] = members[r.IntN(n)].Member
		}
		first := Plan(owners, loads, members, true)
		again := Plan(first, loads, members, true)
		if moved(first, again) != 0 {
			t.Errorf("%d members, %d shards: a second plan moves %d", n, shards, moved(first, again))
		}
		if before, after := Imbalance(owners, loads, members), Imbalance(first, loads, members); after > before+1e-9 && after > Tolerance {
			t.Errorf("%d members, %d shards: the imbalance was %.3f and is %.3f", n, shards, before, after)
		}
	}
}

func TestPlanWithoutMembers(t *testing.T) {
	for _, owner := range Plan([]Member{"a", "b"}, ones(2), nil, true) {
		if owner != "" {
			t.Errorf("a shard is planned for %s", owner)
		}
	}
}

// BenchmarkTurn is what a coordinator does when a lease has changed, in a group of 100 members and 4,096 shards.
func BenchmarkTurn(b *testing.B) {
	members := capacities(100)
	m := New("id", "namespace", 4096, 100)
	m.Unproven = false
	m.Coordinators = []Member{members[0].Member}
	reports := map[Member]string{}
	for at, owner := range Plan(make([]Member, 4096), ones(4096), members, true) {
		m.Shards[at] = Shard{Epoch: 101, Phase: Owned, Owner: owner}
	}
	for _, c := range members {
		r := Report{State: Active, Map: "id", Capacity: 1, Load: map[int]float64{}}
		for at, s := range m.Shards {
			if s.Owner == c.Member {
				r.Load[at] = 240
			}
		}
		reports[c.Member] = r.Text()
	}
	o := &Observation{Map: m, Self: m.Coordinators[0], Settled: true, Level: true, Changed: true, Loads: ones(4096), Members: map[Member]View{}}
	for b.Loop() {
		for name, text := range reports {
			if len(o.Members) == len(reports) && name != m.Coordinators[0] {
				continue // only one lease has changed
			}
			r, err := ParseReport(text)
			if err != nil {
				b.Fatal(err)
			}
			o.Members[name] = View{Report: r, Status: Live}
		}
		if err := o.Outdated(); err != nil {
			b.Fatal(err)
		}
		if next, silent := Step(o, Limits{Coordinators: 1}); next != nil || silent != nil {
			b.Fatal("the group is not at rest")
		}
	}
}

func TestPlanOfALargeGroupTakesLessThanASecond(t *testing.T) {
	began := time.Now()
	owners := Plan(make([]Member, 4096), ones(4096), capacities(99), true)
	Plan(owners, ones(4096), capacities(100), true)
	if took := time.Since(began); took > 2*time.Second { // for two plans
		t.Errorf("it took %v", took)
	}
}

func BenchmarkPlan(b *testing.B) {
	owners := Plan(make([]Member, 4096), ones(4096), capacities(99), true)
	for b.Loop() {
		Plan(owners, ones(4096), capacities(100), true)
	}
}

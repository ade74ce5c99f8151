package protocol

import (
	"math"
	"reflect"
	"testing"
)

func live(state State, change func(*View)) View {
	v := View{Report: Report{State: state, Map: "uid", Capacity: 1}, Status: Live}
	if change != nil {
		change(&v)
	}
	return v
}

// observed is a map with the members a and b, where a decides.
func observed(m *Map) *Observation {
	m.Coordinators = []Member{"a"}
	return &Observation{Map: m, Self: "a", Settled: true, Members: map[Member]View{"a": live(Active, nil), "b": live(Active, nil)}}
}

// The clock may have been set back after the last map was deleted.
func TestEpochsOfANewMapAreAboveWhatMembersRemember(t *testing.T) {
	o := observed(New("uid", "namespace", 4, 100))
	o.Members["b"] = live(Active, func(v *View) { v.Epoch = 5000 })
	next, _ := Step(o, Limits{Coordinators: 1})
	if next == nil || next.Unproven {
		t.Fatalf("the map is not proven: %+v", next)
	}
	for i, s := range next.Shards {
		if s.Epoch <= 5000 {
			t.Errorf("shard %d is granted at epoch %d, and a member knows 5000", i, s.Epoch)
		}
	}
	again, err := Parse(next.Bytes())
	if err != nil || !reflect.DeepEqual(again, next) {
		t.Errorf("the map is read as %+v, %v", again, err)
	}
}

// Nothing is granted by a new map before each member that may work by another has let go, or is certainly dead.
func TestANewMapWaitsForAllMembers(t *testing.T) {
	for name, tt := range map[string]struct {
		b    View
		want bool
	}{
		"follows it":                  {live(Active, nil), true},
		"follows another":             {live(Active, func(v *View) { v.Map = "before" }), false},
		"has joined lately":           {live(Joining, func(v *View) { v.Map = "" }), true},
		"cannot be read":              {View{Status: Live, Report: Report{Map: UnknownMap}}, false},
		"is silent":                   {View{Status: Silent, Report: Report{State: Active, Map: "uid"}}, false},
		"has no lease":                {View{Status: Gone}, false},
		"has no lease for some time":  {View{Status: Dead}, true},
		"was fenced, followed others": {View{Status: Dead, Report: Report{State: Fenced, Map: "before"}}, true},
	} {
		o := observed(New("uid", "namespace", 2, 100))
		o.Members["b"] = tt.b
		next, _ := Step(o, Limits{Coordinators: 1})
		if proven := next != nil && !next.Unproven; proven != tt.want {
			t.Errorf("a member %s: the map is proven: %v", name, proven)
		}
	}
}

func TestOutdated(t *testing.T) {
	for name, tt := range map[string]struct {
		b        View
		unproven bool
		want     bool
	}{
		"the same":                          {live(Active, func(v *View) { v.Seq = 5 }), false, false},
		"less":                              {live(Active, func(v *View) { v.Seq = 3 }), false, false},
		"more":                              {live(Active, func(v *View) { v.Seq = 6 }), false, true},
		"a higher epoch":                    {live(Active, func(v *View) { v.Epoch = 101 }), false, true},
		"a higher epoch, of a new map":      {live(Active, func(v *View) { v.Epoch = 101 }), true, false},
		"more, and is dead":                 {View{Status: Dead, Report: Report{Map: "uid", Seq: 6}}, false, false},
		"another map":                       {live(Active, func(v *View) { v.Map = "other" }), false, true},
		"another map, before this is valid": {live(Active, func(v *View) { v.Map = "other" }), true, false},
		"no map":                            {live(Joining, func(v *View) { v.Map = "" }), false, false},
		"an unknown map":                    {live(Active, func(v *View) { v.Map = UnknownMap }), false, false},
	} {
		m := New("uid", "namespace", 2, 100)
		m.Seq, m.Unproven = 5, tt.unproven
		o := observed(m)
		o.Members["b"] = tt.b
		if err := o.Outdated(); (err != nil) != tt.want {
			t.Errorf("a member has seen %s: %v", name, err)
		}
	}
}

// A shard stays with an owner that works, however long its target takes.
func TestALateTargetWaitsForAnOwnerThatStays(t *testing.T) {
	for state, want := range map[State]Phase{Active: Preparing, Leaving: Draining} {
		m := New("uid", "namespace", 2, 100)
		m.Unproven = false
		m.Shards[0] = Shard{Epoch: 101, Phase: Preparing, Owner: "a", Target: "b"}
		m.Shards[1] = Shard{Epoch: 101, Phase: Owned, Owner: "b"}
		o := observed(m)
		o.Members["a"], o.Late = live(state, nil), map[int]bool{0: true}
		next, _ := Step(o, Limits{Prepare: true, Coordinators: 1})
		if next == nil {
			next = m
		}
		if got := next.Shards[0].Phase; got != want {
			t.Errorf("the owner is %s: the shard is %v, want %v", state, got, want)
		}
	}
}

// Members that leave coordinate if there is no other.
func TestCoordinatorsOfAGroupThatEnds(t *testing.T) {
	m := New("uid", "namespace", 2, 100)
	o := observed(m)
	m.Coordinators = []Member{"a", "b"}
	for _, name := range []Member{"a", "b", "c"} {
		o.Members[name] = live(Leaving, nil)
	}
	next, _ := Step(o, Limits{Coordinators: 3})
	if !reflect.DeepEqual(next.Coordinators, []Member{"a", "b", "c"}) {
		t.Errorf("the coordinators are %v", next.Coordinators)
	}
	o.Members["d"], o.Members["e"] = live(Active, nil), live(Active, nil)
	next, _ = Step(o, Limits{Coordinators: 3})
	if !reflect.DeepEqual(next.Coordinators, []Member{"a", "d", "e"}) {
		t.Errorf("the coordinators are %v, and there are some that stay", next.Coordinators)
	}
}

// The versions go from the owner that releases a shard to the next, and stay until that one releases it.
func TestVersionsAreHandedOver(t *testing.T) {
	m := New("uid", "namespace", 1, 100)
	m.Unproven = false
	m.Shards[0] = Shard{Epoch: 101, Phase: Draining, Owner: "a", Target: "b", Wrote: "pods=7"}
	for name, tt := range map[string]struct {
		owner View
		want  string
	}{
		"released":                 {live(Active, func(v *View) { v.Released, v.Wrote = map[int]int64{0: 101}, map[int]string{0: "pods=9"} }), "pods=9"},
		"released without a write": {live(Active, func(v *View) { v.Released = map[int]int64{0: 101} }), ""},
		"dead":                     {View{Status: Dead}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := observed(m.Clone())
			o.Members["a"], o.Self = tt.owner, "b"
			next, _ := Step(o, Limits{Coordinators: 1})
			if next == nil {
				t.Fatal("nothing changes")
			}
			if got, want := next.Shards[0], (Shard{Epoch: 102, Phase: Owned, Owner: "b", Wrote: tt.want}); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
	// A map with versions is read as it was written, and one that is granted keeps them.
	m.Shards[0] = Shard{Epoch: 102, Phase: Owned, Owner: "b", Wrote: "pods=9"}
	if got, err := Parse(m.Bytes()); err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("%+v, %v, want %+v", got, err, m)
	}
	if next, _ := Step(observed(m.Clone()), Limits{Coordinators: 1}); next != nil && next.Shards[0] != m.Shards[0] {
		t.Errorf("%+v, want %+v", next.Shards[0], m.Shards[0])
	}
}

// Shards move for a better balance when members have come or gone, and later only if one has much more than its share.
func TestBalanceIsKeptWithoutManyMoves(t *testing.T) {
	m := New("uid", "namespace", 8, 100)
	m.Unproven = false
	for i := range m.Shards {
		m.Shards[i] = Shard{Epoch: 101, Phase: Owned, Owner: Member("ab"[i%2 : i%2+1])}
	}
	for name, tt := range map[string]struct {
		loads   []float64
		changed bool
		moves   bool
	}{
		"the same":                    {[]float64{10, 10, 10, 10, 10, 10, 10, 10}, false, false},
		"not known":                   {nil, false, false},
		"some more":                   {[]float64{14, 10, 13, 10, 13, 10, 12, 10}, false, false},
		"some more, and members left": {[]float64{14, 9, 13, 9, 13, 9, 12, 9}, true, true},
		"much more":                   {[]float64{30, 10, 30, 10, 30, 10, 30, 10}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			o := observed(m.Clone())
			o.Level, o.Changed, o.Loads = true, tt.changed, tt.loads
			next, _ := Step(o, Limits{Coordinators: 1})
			if moves := next != nil; moves != tt.moves {
				t.Errorf("shards move: %t, want %t: %+v", moves, tt.moves, next)
			}
		})
	}
}

func TestImbalance(t *testing.T) {
	members := []Capacity{{"a", 1}, {"b", 3}}
	for name, tt := range map[string]struct {
		owners []Member
		loads  []float64
		want   float64
	}{
		"best":      {[]Member{"a", "b"}, []float64{1, 3}, 1},
		"twice":     {[]Member{"a", "b", "a"}, []float64{1, 2, 1}, 2},
		"no shards": {[]Member{"x"}, []float64{1}, 1},
	} {
		if got := Imbalance(tt.owners, tt.loads, members); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	if got := Imbalance([]Member{"a"}, []float64{1}, nil); got != 1 {
		t.Errorf("without members it is %v", got)
	}
}

func TestKnownFillsInTheMean(t *testing.T) {
	for _, tt := range []struct{ loads, want []float64 }{
		{nil, []float64{1, 1, 1}},
		{[]float64{0, 4, 2}, []float64{3, 4, 2}},
		{[]float64{-1, 4}, []float64{4, 4, 4}},
		{[]float64{math.NaN(), 2}, []float64{2, 2, 2}},
	} {
		if got := Known(tt.loads, 3); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%v makes %v, want %v", tt.loads, got, tt.want)
		}
	}
}

func TestRound(t *testing.T) {
	for load, want := range map[float64]float64{0: 0, -3: 0, 1: 1, 99: 99, 123: 120, 1250: 1300, 0.01234: 0.012, 4.2e9: 4.2e9} {
		if got := Round(load); math.Abs(got-want) > want*1e-9 {
			t.Errorf("%v becomes %v, want %v", load, got, want)
		}
	}
	for _, load := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := Round(load); got != 0 {
			t.Errorf("%v becomes %v, want 0", load, got)
		}
	}
}

func TestVersionsAreReadAsTheyWereWritten(t *testing.T) {
	want := map[string]string{"pods": "12", "jobs.batch": "345"}
	text := FormatVersions(want)
	if text != "jobs.batch=345,pods=12" {
		t.Errorf("the text is %q", text)
	}
	if got := ParseVersions(text); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, text := range []string{"", ",", "pods", "=3", "pods=", "pods=,="} {
		if got := ParseVersions(text); len(got) != 0 {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

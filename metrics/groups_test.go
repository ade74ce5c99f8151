package metrics

import (
	"errors"
	"testing"
	"time"

	"vedette.dev/shardgroup"
)

// fakeGroup is a member in a state.
type fakeGroup struct{ state shardgroup.State }

func (g *fakeGroup) State() shardgroup.State { return g.state }

func TestAGroup(t *testing.T) {
	m, registry := mustNew(t)
	g := &fakeGroup{shardgroup.State{Group: "ops/pods", Phase: "active", Grants: 5, UnownedFor: 7 * time.Second, Shards: []shardgroup.ShardState{
		{Owner: "a", Phase: "owned", Here: true, InFlight: 2, Load: 10},
		{Owner: "a", Target: "b", Phase: "draining", InFlight: 1, Load: 20},
		{Owner: "b", Phase: "owned"},
		{Phase: "free", UnownedFor: 3 * time.Second},
		{Phase: "free", UnownedFor: 7 * time.Second},
	}}}
	remove, err := m.Group(g)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Group(&fakeGroup{g.state}); !errors.Is(err, errShown) {
		t.Errorf("a second member of the group: %v", err)
	}
	if _, err := m.Group(nil); err == nil {
		t.Error("a nil group is exported")
	}
	got := gather(t, registry)
	for name, want := range map[string]float64{
		"member": 1, "failing": 0, "shards": 5, "owned_shards": 1, "owned_load": 30, "moving_shards": 1,
		"unowned_shards": 2, "unowned_seconds": 7, "work_in_progress": 3, "grants_total": 5,
	} {
		if v, ok := got[`vedette_shardgroup_`+name+`{group="ops/pods"}`]; !ok || v != want {
			t.Errorf("%s is %v, want %v", name, v, want)
		}
	}
	g.state = shardgroup.State{Group: "ops/pods", Phase: "left", Err: errors.New("lost")}
	if got := gather(t, registry); got[`vedette_shardgroup_member{group="ops/pods"}`] != 0 || got[`vedette_shardgroup_failing{group="ops/pods"}`] != 1 {
		t.Errorf("of a process that is no longer a member: %v", got)
	}
	remove()
	if got := gather(t, registry); len(got) != 0 {
		t.Errorf("after remove: %v", got)
	}
	remove, err = m.Group(g)
	if err != nil {
		t.Error(err)
	}
	remove()
}

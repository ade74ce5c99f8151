package metrics

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vedette.dev/shardgroup"
)

// groups are the groups of package shardgroup whose states are read by a scrape.
type groups struct {
	mu    sync.Mutex
	named map[string]*memberOf
}

// memberOf is a member, by the group it is of.
type memberOf struct{ group Group }

// Group is implemented by *shardgroup.Group.
type Group interface{ State() shardgroup.State }

// Group exports a member of a group of replicas until remove is called. It is an error if another member of a group of the same
// namespace and name is exported already.
func (m *Metrics) Group(group Group) (remove func(), err error) {
	if group == nil {
		return nil, errors.New("metrics: group is nil")
	}
	name := value(group.State().Group)
	g := m.groups
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.named[name] != nil {
		return nil, fmt.Errorf("metrics: group %q %w", name, errShown)
	}
	one := &memberOf{group}
	g.named[name] = one
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.named[name] == one {
			delete(g.named, name)
		}
	}, nil
}

// groupFamilies have one series per group.
var groupFamilies = []family[shardgroup.State]{
	groupGauge("member", "1 if this process is a member of the group.", func(s *shardgroup.State) float64 {
		return truth(s.Phase == "active" || s.Phase == "leaving")
	}),
	groupGauge("failing", "1 if the lease cannot be renewed, the map is not valid or cannot be watched, or the membership was lost.",
		func(s *shardgroup.State) float64 { return truth(s.Err != nil) }),
	groupGauge("shards", "Number of shards of the group, 0 if there is no map.", func(s *shardgroup.State) float64 { return float64(len(s.Shards)) }),
	groupGauge("owned_shards", "Number of shards in which this process works.", sumOf(func(s *shardgroup.ShardState) float64 { return truth(s.Here) })),
	groupGauge("owned_load", "Load of the shards that this process owns.", sumOf(func(s *shardgroup.ShardState) float64 { return s.Load })),
	groupGauge("moving_shards", "Number of shards that go from one member to another.",
		sumOf(func(s *shardgroup.ShardState) float64 { return truth(s.Phase == "preparing" || s.Phase == "draining") })),
	groupGauge("unowned_shards", "Number of shards without an owner.",
		sumOf(func(s *shardgroup.ShardState) float64 { return truth(s.Owner == "") })),
	groupGauge("unowned_seconds", "The longest time for which a shard has had no owner, or one that has not begun, 0 if all have one.",
		func(s *shardgroup.State) float64 { return s.UnownedFor.Seconds() }),
	groupGauge("work_in_progress", "Number of reconciles, and of other work, in the shards of this process.",
		sumOf(func(s *shardgroup.ShardState) float64 { return float64(s.InFlight) })),
	{groupDesc("grants_total", "Number of grants of a shard to this process."), prometheus.CounterValue,
		func(s *shardgroup.State, _ time.Time) float64 { return float64(s.Grants) }},
}

func groupDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("vedette_shardgroup_"+name, help, []string{"group"}, nil)
}

func groupGauge(name, help string, read func(*shardgroup.State) float64) family[shardgroup.State] {
	return family[shardgroup.State]{groupDesc(name, help), prometheus.GaugeValue, func(s *shardgroup.State, _ time.Time) float64 { return read(s) }}
}

func sumOf(read func(*shardgroup.ShardState) float64) func(*shardgroup.State) float64 {
	return func(s *shardgroup.State) (sum float64) {
		for i := range s.Shards {
			sum += read(&s.Shards[i])
		}
		return sum
	}
}

// Describe implements prometheus.Collector.
func (g *groups) Describe(ch chan<- *prometheus.Desc) {
	for _, f := range groupFamilies {
		ch <- f.desc
	}
}

// Collect implements prometheus.Collector.
func (g *groups) Collect(ch chan<- prometheus.Metric) {
	for name, group := range g.snapshot() {
		state := group.State()
		for _, f := range groupFamilies {
			scrape{ch: ch}.show(f.desc, f.kind, f.read(&state, time.Time{}), name)
		}
	}
}

// snapshot returns the groups, so that State is not called under the lock.
func (g *groups) snapshot() map[string]Group {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := map[string]Group{}
	for name, one := range g.named {
		all[name] = one.group
	}
	return all
}

package protocol

import (
	"cmp"
	"slices"
)

// Capacity is the share of the load that a member should have, relative to others.
type Capacity struct {
	Member Member
	Share  float64
}

// Tolerance is by how much the load of a member may exceed its share before shards are moved because of that.
const Tolerance = 1.05

// Drift is by how much the load of a member may exceed its share, as objects come and go, before shards are moved because of that.
const Drift = 1.25

// Known returns the loads of so many shards, with the mean of those that are known for the others.
func Known(loads []float64, shards int) []float64 {
	out := make([]float64, shards)
	sum, known := 0.0, 0
	for i := range out {
		if i < len(loads) && loads[i] > 0 {
			out[i] = loads[i]
			sum += loads[i]
			known++
		}
	}
	mean := 1.0
	if known > 0 {
		mean = sum / float64(known)
	}
	for i := range out {
		if out[i] == 0 {
			out[i] = mean
		}
	}
	return out
}

// Imbalance returns by how much the load of the member with the highest load exceeds its share: 1 is best. Shards of others do not
// count.
func Imbalance(owners []Member, loads []float64, members []Capacity) float64 {
	if len(members) == 0 {
		return 1
	}
	p := newPlanner(loads, members)
	for i, owner := range owners {
		if at, ok := p.index[owner]; ok {
			p.give(i, at)
		}
	}
	p.setGiantsAside()
	if mean := p.mean(); mean > 0 {
		return p.pressure(p.heaviest()) / mean
	}
	return 1
}

// Plan returns who should own each shard. Shards whose owner is not among the members go to others. With level, as few of the
// rest move as are needed for no member to have more than its share by Tolerance, or by one shard.
func Plan(owners []Member, loads []float64, members []Capacity, level bool) []Member {
	wanted := make([]Member, len(owners))
	if len(members) == 0 {
		return wanted
	}
	p := newPlanner(loads, members)
	var homeless []int
	for i, owner := range owners {
		if at, ok := p.index[owner]; ok {
			p.give(i, at)
		} else {
			homeless = append(homeless, i)
		}
	}
	slices.SortStableFunc(homeless, func(a, b int) int { return cmp.Compare(loads[b], loads[a]) })
	for _, i := range homeless {
		p.give(i, p.lightest())
	}
	if level {
		p.level()
	}
	for at, m := range p.members {
		for _, i := range m.shards {
			wanted[i] = members[at].Member
		}
	}
	return wanted
}

type planner struct {
	loads   []float64
	index   map[Member]int
	members []planned
}

type planned struct {
	share, load float64
	shards      []int
	// aside says that the member has more than its share, and nothing that another could take. The others are levelled without it.
	aside bool
}

func newPlanner(loads []float64, members []Capacity) *planner {
	p := &planner{loads: loads, index: map[Member]int{}}
	for at, m := range members {
		share := m.Share
		if !(share > 0) { // also NaN
			share = 1
		}
		p.index[m.Member] = at
		p.members = append(p.members, planned{share: share})
	}
	return p
}

func (p *planner) give(shard, to int) {
	m := &p.members[to]
	m.shards = append(m.shards, shard)
	m.load += p.loads[shard]
}

// pressure is the load of a member relative to its share.
func (p *planner) pressure(at int) float64 { return p.members[at].load / p.members[at].share }

// mean is the pressure that each member has if all have the same, but for those that are set aside.
func (p *planner) mean() float64 {
	sum, total := 0.0, 0.0
	for _, m := range p.members {
		if !m.aside {
			sum += m.load
			total += m.share
		}
	}
	if total == 0 {
		return 0
	}
	return sum / total
}

func (p *planner) lightest() int {
	best := 0
	for at := range p.members {
		if p.pressure(at) < p.pressure(best) {
			best = at
		}
	}
	return best
}

func (p *planner) heaviest() int {
	worst := -1
	for at := range p.members {
		if !p.members[at].aside && (worst < 0 || p.pressure(at) > p.pressure(worst)) {
			worst = at
		}
	}
	return max(worst, 0)
}

// setGiantsAside sets members aside that have one shard only, and more than their share by it.
func (p *planner) setGiantsAside() {
	for range p.members {
		at := p.heaviest()
		m := &p.members[at]
		if m.aside || len(m.shards) != 1 || p.pressure(at) <= p.mean()*Tolerance {
			return
		}
		m.aside = true
	}
}

// level moves shards from the member with the highest pressure to the one with the lowest, as long as that makes the higher of
// the two smaller. A member of which no shard can move so is set aside.
func (p *planner) level() {
	for range len(p.loads) + len(p.members) { // each shard moves once at most, on average
		from, to := p.heaviest(), p.lightest()
		if p.members[from].aside || p.pressure(from) <= p.mean()*Tolerance && !p.idle(to) {
			return
		}
		i := p.best(from, to)
		if i < 0 {
			p.members[from].aside = true
			continue
		}
		shard := p.members[from].shards[i]
		p.members[from].shards = slices.Delete(p.members[from].shards, i, i+1)
		p.members[from].load -= p.loads[shard]
		p.give(shard, to)
	}
}

// idle reports whether a member has nothing, though there is enough for all.
func (p *planner) idle(at int) bool {
	return len(p.members[at].shards) == 0 && len(p.loads) >= len(p.members)
}

// best returns which shard of one member makes the higher pressure of two members the smallest when it moves to the other,
// or -1 if none makes it smaller.
func (p *planner) best(from, to int) int {
	a, b := &p.members[from], &p.members[to]
	found, least := -1, p.pressure(from)
	for i, shard := range a.shards {
		load := p.loads[shard]
		higher := max((a.load-load)/a.share, (b.load+load)/b.share)
		if higher < least*(1-1e-9) {
			found, least = i, higher
		}
	}
	return found
}

package shardgroup

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"vedette.dev/internal/clock"
	"vedette.dev/shardgroup/internal/protocol"
)

// State is what a member knows of itself and of the group.
type State struct {
	// Group is the namespace and the name of the group, and Key the name of the key that objects are divided by.
	Group, Key string
	// Name is the name of this run of the process, and Phase joining, active, leaving or left.
	Name, Phase string
	// Coordinator is the name of the member that assigns shards, empty if that is not known.
	Coordinator string
	// Shards has an entry for each shard, and is nil if there is no map.
	Shards []ShardState
	// UnownedFor is the longest time for which a shard has been without an owner, or with one that has not begun, as far as this member
	// knows. Without a map, all shards are without an owner.
	UnownedFor time.Duration
	// Moves are the last changes of the owner of a shard that this member has seen, at most 64, the oldest first.
	Moves []Move
	// Grants is the number of grants of a shard to this member.
	Grants uint64
	// Err is why the map is not valid or cannot be watched, why the lease is not renewed, or why the membership is over;
	// nil if all is well.
	Err error
}

// Move is a change of the owner of a shard.
type Move struct {
	Shard int
	// From and To are the names of the members. Either may be empty: a shard that is released, or whose owner was fenced, may have
	// no owner for some time.
	From, To string
	// At is when this member saw the change, and Took the time since it saw that the shard was to leave From, or that it had no owner.
	At   time.Time
	Took time.Duration
}

// maxMoves is the number of moves in State.
const maxMoves = 64

// ShardState is what the map says of a shard, and what this member knows of it.
type ShardState struct {
	// Owner is the name of the member that owns the shard, Target that of the one that it goes to. Either may be empty.
	Owner, Target string
	// Phase is free, owned, preparing or draining.
	Phase string
	// Epoch is the number of the last grant.
	Epoch int64
	// UnownedFor is how long this member has seen the shard without an owner, or has been the owner and not begun, since its caches are
	// not filled.
	UnownedFor time.Duration
	// Here reports whether work in the shard may begin in this process.
	Here bool
	// InFlight is how much work goes on in the shard in this process.
	InFlight int
	// Load is the load of the shard if this member owns it: see Config.Load.
	Load float64
}

// State returns what this member knows.
func (g *Group) State() State {
	over := g.term.Err()
	now := g.clock.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	s := State{
		Group: g.config.Namespace + "/" + g.config.Name, Key: g.config.Key.String(),
		Name: string(g.name), Phase: string(g.report.State), Moves: slices.Clone(g.moves), Grants: g.grants, Err: g.problem(over),
	}
	for _, since := range g.unowned {
		s.UnownedFor = max(s.UnownedFor, now.AtLeast(since))
	}
	if g.current == nil {
		return s
	}
	if len(g.current.Coordinators) > 0 {
		s.Coordinator = string(g.current.Coordinators[0])
	}
	for i, e := range g.current.Shards {
		l := &g.shards[i]
		one := ShardState{
			Owner: string(e.Owner), Target: string(e.Target), Phase: e.Phase.String(), Epoch: e.Epoch,
			Here: over == nil && l.epoch != 0 && !l.draining, InFlight: l.inFlight, Load: g.report.Load[i],
		}
		if since, free := g.unowned[i]; free {
			one.UnownedFor = max(0, now.AtLeast(since))
		}
		s.Shards = append(s.Shards, one)
	}
	return s
}

// noteMoves records what changes with the next map. The caller holds mu.
func (g *Group) noteMoves(next *revision, now clock.Reading) {
	if g.current == nil || next == nil {
		return
	}
	for i, s := range next.Shards {
		if from := g.current.Shards[i].Owner; from != s.Owner {
			m := Move{Shard: i, From: string(from), To: string(s.Owner), At: now.Wall}
			if since, known := g.moving[i]; known {
				m.Took = now.AtLeast(since)
			}
			g.moves = append(g.moves, m)
			delete(g.moving, i)
		}
		if _, known := g.moving[i]; s.Phase == protocol.Owned {
			delete(g.moving, i)
		} else if !known {
			g.moving[i] = now
		}
	}
	g.moves = slices.Delete(g.moves, 0, max(0, len(g.moves)-maxMoves))
}

// problem returns the first error that State reports. The caller holds mu.
func (g *Group) problem(over error) error {
	if g.report.State == protocol.Left {
		return nil
	}
	for _, err := range []error{over, g.mapErr, g.watchErr, g.unhealthy} {
		if err != nil {
			return err
		}
	}
	return nil
}

// HealthCheck returns an error if this member has not joined the group or has lost its membership, if the map is missing or not
// valid, or if a shard has had no owner, or one that has not begun, for longer than three times LeaseDuration. The request is not used; it may be nil.
func (g *Group) HealthCheck(*http.Request) error {
	s := g.State()
	switch {
	case s.Err != nil:
		return fmt.Errorf("group %s: %w", s.Group, s.Err)
	case s.Shards == nil:
		return fmt.Errorf("group %s has no map yet", s.Group)
	case s.Phase == string(protocol.Joining):
		return fmt.Errorf("group %s: the member has not joined yet", s.Group)
	}
	var free []string
	for i, one := range s.Shards {
		if one.UnownedFor > 3*g.config.LeaseDuration {
			free = append(free, fmt.Sprint(i))
		}
	}
	if n := len(free); n > 0 {
		return fmt.Errorf("group %s: %d of %d shards have no owner, or one that has not begun, for more than %v: %s", s.Group, n, len(s.Shards),
			3*g.config.LeaseDuration, strings.Join(free[:min(n, 8)], ", "))
	}
	return nil
}

// Explanation says who works on an object.
type Explanation struct {
	// Namespace and Name are those of the object, and Shard its shard.
	Namespace, Name string
	Shard           int
	ShardState
	// Group and Member are the names of the group and of this member.
	Group, Member string
	// Err is what State reports.
	Err error
}

// Explain returns who works on an object. The error says why its shard is not known: there is no map, or the key of the group needs
// more than a namespace and a name.
func (g *Group) Explain(namespace, name string) (Explanation, error) {
	i, ok := g.ShardOfName(namespace, name)
	if !ok {
		return Explanation{}, errNotByName(g.config.Key)
	}
	s := g.State()
	if i >= len(s.Shards) {
		return Explanation{}, errors.Join(fmt.Errorf("group %s has no map yet", s.Group), s.Err)
	}
	return Explanation{Namespace: namespace, Name: name, Shard: i, ShardState: s.Shards[i], Group: s.Group, Member: s.Name, Err: s.Err}, nil
}

// String returns the explanation in one or two lines.
func (e Explanation) String() string {
	var b strings.Builder
	object := e.Name
	if e.Namespace != "" {
		object = e.Namespace + "/" + e.Name
	}
	fmt.Fprintf(&b, "%s is in shard %d of group %s, epoch %d: ", object, e.Shard, e.Group, e.Epoch)
	switch {
	case e.Owner == "" && e.UnownedFor > 0:
		fmt.Fprintf(&b, "no owner for %v", e.UnownedFor.Round(time.Second))
	case e.Owner == "":
		b.WriteString("no owner")
	case e.Owner == e.Member:
		fmt.Fprintf(&b, "%s, by this member %s", e.Phase, e.Owner)
	default:
		fmt.Fprintf(&b, "%s, by %s", e.Phase, e.Owner)
	}
	if e.Target != "" {
		fmt.Fprintf(&b, ", goes to %s", e.Target)
	}
	switch {
	case e.Here:
		fmt.Fprintf(&b, "; work may begin here, %d running", e.InFlight)
	case e.InFlight > 0:
		fmt.Fprintf(&b, "; no work begins here, %d still running", e.InFlight)
	case e.Owner == e.Member:
		b.WriteString("; work has not begun here")
	}
	if e.Err != nil {
		fmt.Fprintf(&b, "\n%v", e.Err)
	}
	return b.String()
}

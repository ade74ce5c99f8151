package console

import (
	"cmp"
	"fmt"

	"vedette.dev/shardgroup"
)

// GroupMember is implemented by *shardgroup.Group.
type GroupMember interface{ State() shardgroup.State }

// Group returns the shards of a group of replicas for Config.Shards, with the replica that owns each:
//
//	Shards: map[string]console.Sharded{"pods by replica": console.Group(group)}
//
// The objects of shards of other replicas are not known here, so each shard counts the same in the balance.
func Group(member GroupMember) Sharded {
	if member == nil {
		return nil
	}
	return &group{member}
}

type group struct{ member GroupMember }

// Shards implements Sharded.
func (g *group) Shards() []ShardView {
	state := g.member.State()
	moves := map[int]uint64{}
	for _, m := range state.Moves {
		if m.To != "" {
			moves[m.Shard]++
		}
	}
	views := make([]ShardView, len(state.Shards))
	for i, s := range state.Shards {
		views[i] = ShardView{
			ID: shardgroup.ShardID(i), Holder: cmp.Or(s.Owner, "no owner"), Scope: fmt.Sprintf("epoch %d", s.Epoch),
			Objects: int(s.Load), Weight: 1, State: s.Phase, Moves: moves[i],
		}
		switch {
		case state.Err != nil && s.Owner == state.Name:
			views[i].Cause = state.Err
		case s.Owner == "":
			views[i].Cause = fmt.Errorf("no owner for %v", s.UnownedFor.Round(1e8))
		case s.Target != "":
			views[i].State += " for " + s.Target
		}
	}
	return views
}

// ShardMoves returns the moves of the shards.
func (g *group) ShardMoves() []ShardMove {
	var moves []ShardMove
	for _, m := range g.member.State().Moves {
		moves = append(moves, ShardMove{
			At: m.At, ID: shardgroup.ShardID(m.Shard), From: cmp.Or(m.From, "no owner"), To: cmp.Or(m.To, "no owner"), Took: m.Took,
		})
	}
	return moves
}

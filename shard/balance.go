package shard

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"vedette.dev/internal/hashspace"
)

// Moved is the result of a change of the ranges of shards.
type Moved struct {
	// Part is the fraction of the objects that are in another shard than before, from 0 to 1.
	Part float64
	// Imbalance is the imbalance after the change: the largest load of a shard divided by the mean.
	Imbalance float64
}

// namespaceTolerance is the imbalance of shards by namespace above which their ranges are chosen again after the
// initial lists.
const namespaceTolerance = 1.25

// balances reports whether the ranges are chosen by the number of objects after the initial lists.
func (s *TypedShardingInformer[T]) balances() bool {
	shards, ok := s.config.Source.(fixed)
	return ok && len(shards) > 1 && shards[0].Scope.Hash.path != "" && shards[0].Scope.Hash.name == ByNamespace().name
}

// balanceFirst balances the shards after the initial lists.
func (s *TypedShardingInformer[T]) balanceFirst(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-s.machine.Done():
	}
	if s.Imbalance() <= namespaceTolerance {
		return
	}
	moved, err := s.Rebalance()
	if err != nil {
		s.info("Failed to balance shards", "err", err)
		return
	}
	s.info("Balanced shards", "moved", moved.Part, "imbalance", moved.Imbalance)
}

// Rebalance chooses the ranges of shards by hash again, so that the load of each is in proportion to its weight. It
// moves no more objects than necessary. Objects that move are not listed again, and handlers of all shards are not
// called. Shards in different clusters or namespaces are balanced separately. With Config.Partial, hashes that are in
// no shard stay so.
func (s *TypedShardingInformer[T]) Rebalance() (Moved, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	return s.rebalance(s.layout.list())
}

// Resize changes the number of shards by hash to n, and balances them. New shards are named by the first unused
// numbers; shards are removed from the end of the sorted IDs.
func (s *TypedShardingInformer[T]) Resize(n int) (Moved, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	if n < 1 || n > 65536 {
		return Moved{}, fmt.Errorf("shard: cannot resize to %d shards, want 1 to 65536", n)
	}
	shards := s.layout.list()
	if groups, err := groupsOf(shards); err != nil {
		return Moved{}, err
	} else if len(groups) > 1 {
		return Moved{}, fmt.Errorf("shard: cannot resize to %d shards: there are shards in %d clusters or lists of namespaces; use Split, Merge or SetShards", n, len(groups))
	}
	for i := 0; len(shards) < n; i++ {
		id := hashID(i)
		if s.layout.shards[id] == nil {
			added := Shard{ID: id}
			if len(shards) > 0 {
				added.Scope, added.Limits = shards[0].Scope, shards[0].Limits
			}
			added.Scope.Ranges = nil
			shards = append(shards, added)
		}
	}
	return s.rebalance(shards[:n])
}

// rebalance sets the ranges of shards by hash.
func (s *TypedShardingInformer[T]) rebalance(shards []Shard) (Moved, error) {
	if len(s.layout.shards) == 0 {
		return Moved{}, errors.New("shard: no shards to balance")
	}
	groups, err := groupsOf(shards)
	if err != nil {
		return Moved{}, err
	}
	total := Moved{}
	for in, at := range groups {
		plan, err := s.plan(in, shards, at)
		if err != nil {
			return Moved{}, fmt.Errorf("shard: %w", err)
		}
		for _, i := range at {
			shards[i].Scope.Ranges = plan.Owners[shards[i].ID]
		}
		total.Part = max(total.Part, plan.Moved)
		total.Imbalance = max(total.Imbalance, plan.Imbalance)
	}
	empty := func(shard Shard) bool { return len(shard.Scope.Ranges) == 0 }
	if i := slices.IndexFunc(shards, empty); i >= 0 {
		return Moved{}, fmt.Errorf("shard: Scope.Ranges of shard %q would be empty", shards[i].ID)
	}
	return total, s.setShards(shards)
}

// group is the cluster and the namespaces of shards by hash. The shards of a group divide the same objects.
type group struct{ cluster, namespaces string }

func groupOf(s *Scope) group { return group{s.Cluster, strings.Join(sorted(s.Namespaces), ",")} }

// groupsOf returns the indexes of the shards of each group.
func groupsOf(shards []Shard) (map[group][]int, error) {
	groups := map[group][]int{}
	for i := range shards {
		scope := &shards[i].Scope
		if scope.Hash.of == nil {
			return nil, fmt.Errorf("shard: cannot balance shard %q (%s): it is not by hash", shards[i].ID, scope)
		}
		groups[groupOf(scope)] = append(groups[groupOf(scope)], i)
	}
	return groups, nil
}

// plan divides the hashes of a group among the shards at some indexes.
func (s *TypedShardingInformer[T]) plan(in group, shards []Shard, at []int) (hashspace.Plan, error) {
	current := map[string]hashspace.Set{}
	var objects []iter.Seq[*Envelope]
	for id, sc := range s.layout.scopes {
		if groupOf(&sc.Scope) == in {
			current[id] = sc.set
			objects = append(objects, s.objects(id))
		}
	}
	owners := map[string]float64{}
	for _, i := range at {
		owners[shards[i].ID] = shards[i].weight()
	}
	return hashspace.RebalanceWithin(current, owners, loadsOf(shards[at[0]].Scope.Hash, objects...), 0)
}

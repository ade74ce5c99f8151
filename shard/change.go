package shard

import (
	"fmt"
	"slices"
)

// SetShards says which shards there are from now on, all in one step.
//
//   - A shard that is new is listed, but for what other shards had of it.
//   - Of one that is gone, the objects that no other shard has are forgotten, and handlers are told OnShardLost, and not that
//     they are deleted.
//   - Objects that are in another shard than before are not listed again, and handlers of all shards are not called.
//
// A shard that stays cannot have less than before, unless others have the rest. If SetShards returns an error, nothing has
// changed.
func (s *TypedShardingInformer[T]) SetShards(shards ...Shard) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	return s.setShards(shards)
}

func (s *TypedShardingInformer[T]) setShards(shards []Shard) error {
	next, err := newLayout(shards, &s.config.Tenant, !s.config.Partial)
	if err != nil {
		return fmt.Errorf("shard: %w", err)
	}
	if len(shards) == 0 && !s.config.Partial && s.layout.hasHashes() {
		return fmt.Errorf("shard: %w", errNoShards)
	}
	for cluster := range next.byCluster() {
		if _, err := s.requester(next, cluster, ""); err != nil {
			return fmt.Errorf("shard: %w", err)
		}
	}
	return s.move(next)
}

// hasHashes reports whether shards are by hash.
func (l *layout) hasHashes() bool {
	for _, r := range l.routers {
		if r.strategy == strategyHash {
			return true
		}
	}
	return false
}

// AddShard adds a shard. Nothing is listed but what is in it.
func (s *TypedShardingInformer[T]) AddShard(shard Shard) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	return s.setShards(append(s.layout.list(), shard))
}

// RemoveShard removes a shard. What it has is forgotten, and handlers are told OnShardLost.
func (s *TypedShardingInformer[T]) RemoveShard(id string) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.layout.shards[id] == nil {
		return fmt.Errorf("shard: there is no shard %q to remove", id)
	}
	next := slices.DeleteFunc(s.layout.list(), func(shard Shard) bool { return shard.ID == id })
	if !s.config.Partial && s.layout.scopes[id].strategy == strategyHash {
		return fmt.Errorf("shard: without shard %q some hashes would be in no shard; merge it with another, or set Config.Partial", id)
	}
	return s.setShards(next)
}

// list is the shards of a layout, sorted by ID.
func (l *layout) list() []Shard {
	out := make([]Shard, 0, len(l.shards))
	for _, id := range l.ids() {
		out = append(out, l.shards[id].clone())
	}
	return out
}

package shard

import (
	"fmt"
	"slices"
)

// SetShards replaces all shards in one step.
//
//   - A new shard is listed, except for objects that other shards had.
//   - When a shard is removed, the objects that no other shard has are removed from the store. OnShardLost is called
//     with their keys, and OnDelete is not.
//   - Objects that are in another shard than before are not listed again, and handlers of all shards are not called.
//
// A shard that stays cannot have fewer objects in its scope than before, unless other shards have the rest. If
// SetShards returns an error, nothing has changed.
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
		if r.shards[0].Hash.of != nil {
			return true
		}
	}
	return false
}

// AddShard adds a shard. Only its objects are listed.
func (s *TypedShardingInformer[T]) AddShard(shard Shard) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	return s.setShards(append(s.layout.list(), shard))
}

// RemoveShard removes a shard and its objects from the store. OnShardLost is called with their keys.
func (s *TypedShardingInformer[T]) RemoveShard(id string) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.layout.shards[id] == nil {
		return fmt.Errorf("shard: no shard %q to remove", id)
	}
	next := slices.DeleteFunc(s.layout.list(), func(shard Shard) bool { return shard.ID == id })
	if !s.config.Partial && s.layout.scopes[id].Hash.of != nil {
		return fmt.Errorf("shard: cannot remove shard %q: some hashes would be in no shard; merge it with another, or set Config.Partial", id)
	}
	return s.setShards(next)
}

// list returns the shards of a layout, sorted by ID.
func (l *layout) list() []Shard {
	out := make([]Shard, 0, len(l.shards))
	for _, id := range l.ids() {
		out = append(out, l.shards[id].clone())
	}
	return out
}

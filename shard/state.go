package shard

import (
	"vedette.dev/cache"
)

// State is the state of a shard.
type State struct {
	Shard
	// PartitionState has what the shard does, how many objects it has, and what was received for it.
	cache.PartitionState
}

// Shards returns the state of each shard, sorted by ID.
func (s *TypedShardingInformer[T]) Shards() []State {
	l := s.shown.Load()
	out := make([]State, 0, len(l.shards))
	for _, id := range l.ids() {
		if state, ok := s.machine.Partition(id); ok {
			out = append(out, State{l.shards[id].clone(), state})
		}
	}
	return out
}

// State returns what the informer is doing: the state of the shard in the worst state, with the counts of all. A failure of
// the source of shards is the Cause, if there is none.
func (s *TypedShardingInformer[T]) State() cache.State {
	state := s.machine.State()
	s.mu.Lock()
	defer s.mu.Unlock()
	if state.Cause == nil && s.failure != nil {
		state.Cause = s.failure
	}
	return state
}

// ShardOf returns the shard that has the object under a key.
func (s *TypedShardingInformer[T]) ShardOf(key string) (id string, ok bool) {
	return s.machine.PartitionOf(key)
}

// Streams returns how many lists and watches there are.
func (s *TypedShardingInformer[T]) Streams() int { return int(s.count.Load()) }

// Changes is how often the shards have changed.
func (s *TypedShardingInformer[T]) Changes() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.moves
}

// Imbalance is how many times the mean load the shard with most objects has, with regard to weights: 1 is best. It is 0 if
// there are no objects.
func (s *TypedShardingInformer[T]) Imbalance() float64 {
	most, objects, weights := 0.0, 0.0, 0.0
	for _, shard := range s.Shards() {
		weight := shard.weight()
		most = max(most, float64(shard.Objects)/weight)
		objects += float64(shard.Objects)
		weights += weight
	}
	if objects == 0 {
		return 0
	}
	return most / (objects / weights)
}

func (s *Shard) weight() float64 {
	if s.Weight == 0 {
		return 1
	}
	return s.Weight
}

// Lister returns a lister of the objects of all shards. Where there are clusters, keys begin with the name of the cluster.
func (s *TypedShardingInformer[T]) Lister() cache.TypedLister[T] {
	return cache.NewTypedLister[T](s.machine.GetIndexer(), s.config.Resource.GroupResource())
}

// View is the objects of one shard.
type View[T cache.Object] struct {
	cache.TypedIndexer[T]
	lister cache.TypedLister[T]
	synced <-chan struct{}
}

// View returns a view of one shard, which is empty if there is no such shard.
func (s *TypedShardingInformer[T]) View(shard string) View[T] {
	indexer := s.machine.PartitionIndexer(shard)
	return View[T]{
		TypedIndexer: cache.NewTypedIndexer[T](indexer),
		lister:       cache.NewTypedLister[T](indexer, s.config.Resource.GroupResource()),
		synced:       s.machine.PartitionSynced(shard),
	}
}

// Lister returns a lister of the objects of the shard.
func (v View[T]) Lister() cache.TypedLister[T] { return v.lister }

// Synced is closed when the objects of the shard are in the store, and on their way to the handlers. It is nil if there was no
// such shard.
func (v View[T]) Synced() <-chan struct{} { return v.synced }

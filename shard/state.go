package shard

import (
	"vedette.dev/cache"
	"vedette.dev/internal/engine"
)

// State is the state of a shard.
type State struct {
	Shard
	// PartitionState has what the shard does, how many objects it has, and what was received for it.
	PartitionState
}

// PartitionState is the state of the informer for one shard.
type PartitionState struct {
	// Partition is the ID of the shard.
	Partition string
	// State is the state of the stream that is worst off, with the totals of all streams of the shard. A stream that
	// several shards share counts in each of them. Objects, Pending, Lags and Handlers are those of the shard, and so
	// is Cause if the shard is full.
	cache.State
	// Applied is the number of changes applied, Rate the recent rate per second, and Received their size in bytes.
	Applied  uint64
	Rate     float64
	Received int64
	// Coalesced is the number of changes that were coalesced with a pending one.
	Coalesced uint64
	// MovedIn and MovedOut are the numbers of objects that came from other shards and went to others.
	MovedIn, MovedOut uint64
	// Full is not nil if objects were skipped.
	Full *LimitError
}

// Err returns nil while the shard is healthy: see cache.State. A shard that has skipped objects is not.
func (s PartitionState) Err() error {
	if err := s.State.Err(); err != nil {
		return err
	}
	if s.Full != nil {
		return s.Full
	}
	return nil
}

// LimitError means that a shard has more objects than its limit.
type LimitError struct {
	// ID is that of the shard.
	ID string
	// What is "objects" or "bytes", Limit the limit.
	What  string
	Limit int64
	// LeftOut is the number of objects that were skipped since the shard was last listed.
	LeftOut uint64
}

func (e *LimitError) Error() string { return (*engine.LimitError)(e).Error() }

// partitionState returns the state of a partition of the engine.
func partitionState(s engine.PartitionState, stateOf func(engine.State) cache.State) PartitionState {
	out := PartitionState{
		Partition: s.Partition, State: stateOf(s.State),
		Applied: s.Applied, Rate: s.Rate, Received: s.Received, Coalesced: s.Coalesced,
		MovedIn: s.MovedIn, MovedOut: s.MovedOut, Full: (*LimitError)(s.Full),
	}
	if full, ok := out.Cause.(*engine.LimitError); ok {
		out.Cause = (*LimitError)(full)
	}
	return out
}

// Shards returns the state of each shard, sorted by ID.
func (s *TypedShardingInformer[T]) Shards() []State {
	l := s.shown.Load()
	out := make([]State, 0, len(l.shards))
	for _, id := range l.ids() {
		if state, ok := s.engine.Partition(id); ok {
			out = append(out, State{l.shards[id].clone(), partitionState(state, s.stateOf)})
		}
	}
	return out
}

// State returns what the informer is doing: the state of the shard with the worst status, with the totals of all. If
// nothing else has failed, Cause is the error of the source of shards.
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
	return s.engine.PartitionOf(key)
}

// Streams returns the number of lists and watches.
func (s *TypedShardingInformer[T]) Streams() int { return int(s.count.Load()) }

// Changes returns the number of changes of the shards.
func (s *TypedShardingInformer[T]) Changes() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.moves
}

// Imbalance returns the largest load of a shard divided by the mean, taking weights into account: 1 is best. It is 0 if
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

// Lister returns a lister of the objects of all shards. With several clusters, keys begin with the name of the cluster.
func (s *TypedShardingInformer[T]) Lister() cache.TypedLister[T] {
	return cache.NewTypedLister[T](s.machine.GetIndexer(), s.config.Resource.GroupResource())
}

// View is a view of the objects of one shard.
type View[T cache.Object] struct {
	cache.TypedIndexer[T]
	lister cache.TypedLister[T]
	synced <-chan struct{}
	engine *engine.Informer
	shard  string
}

// View returns a view of one shard, which is empty if there is no such shard.
func (s *TypedShardingInformer[T]) View(shard string) View[T] {
	indexer := s.machine.PartitionIndexer(shard)
	return View[T]{
		TypedIndexer: cache.NewTypedIndexer[T](indexer),
		lister:       cache.NewTypedLister[T](indexer, s.config.Resource.GroupResource()),
		synced:       s.engine.PartitionSynced(shard),
		engine:       s.engine,
		shard:        shard,
	}
}

// Lister returns a lister of the objects of the shard.
func (v View[T]) Lister() cache.TypedLister[T] { return v.lister }

// Synced returns a channel that is closed when the objects of the shard are in the store and in the log that handlers
// are notified from. It is nil if the shard did not exist.
func (v View[T]) Synced() <-chan struct{} { return v.synced }

// Len returns the number of objects of the shard now.
func (v View[T]) Len() int { return v.engine.PartitionLen(v.shard) }

// Version returns the version up to which the store has every change of the objects of the shard now. It is empty if it is not
// known, and may lag while there is much to apply.
func (v View[T]) Version() string { return v.engine.PartitionVersion(v.shard) }

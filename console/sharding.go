package console

import (
	"sync"
	"time"

	"vedette.dev/cache"
	"vedette.dev/shard"
)

// ShardingInformer is implemented by *shard.TypedShardingInformer of any type and by *shard.ShardingInformer.
type ShardingInformer interface {
	Shards() []shard.State
	Streams() int
	Imbalance() float64
	Changes() uint64
}

// Shards returns the shards of an informer for Config.Shards:
//
//	Shards: map[string]console.Sharded{"pods": console.Shards(informer)}
//
// If the informer is also given to [Informer], its row in the pipeline shows its shards.
func Shards(informer ShardingInformer) Sharded {
	if informer == nil {
		return nil
	}
	return &sharding{ShardingInformer: informer, lags: map[string]shardLag{}}
}

// sharding shows a sharding informer. It remembers the previous lag of each shard, to show the current one.
type sharding struct {
	ShardingInformer
	mu   sync.Mutex
	lags map[string]shardLag
}

type shardLag struct {
	seen cache.Lags
	lag  time.Duration
}

var _ Sharded = (*sharding)(nil)

// Shards implements Sharded.
func (s *sharding) Shards() []ShardView {
	states := s.ShardingInformer.Shards()
	s.mu.Lock()
	defer s.mu.Unlock()
	views, lags := make([]ShardView, len(states)), make(map[string]shardLag, len(states))
	for i := range states {
		one := &states[i]
		lag := s.lags[one.ID].next(one.Lags)
		lags[one.ID] = lag
		views[i] = ShardView{
			ID: one.ID, Scope: one.Scope.String(), Objects: one.Objects, EventsPerSecond: one.Rate, Lag: lag.lag,
			State: one.Phase.String(), Cause: shardError(one),
		}
	}
	s.lags = lags // of the current shards
	return views
}

// next returns the mean lag of changes since the last reading, or the previous one if there were none.
func (l shardLag) next(lags cache.Lags) shardLag {
	if more := lags.Batches - l.seen.Batches; lags.Batches > l.seen.Batches {
		l.lag = (lags.Total - l.seen.Total) / time.Duration(more)
	}
	l.seen = lags
	return l
}

// shardError returns the error of a shard. A shard that has not started, or does its initial list, has none.
func shardError(s *shard.State) error {
	if s.Cause == nil && s.Full == nil {
		return nil
	}
	return s.Err()
}

package console

import (
	"sync"
	"time"

	"vedette.dev/cache"
	"vedette.dev/shard"
)

// ShardingInformer is what the page reads of a *shard.TypedShardingInformer of any type, and of a *shard.ShardingInformer.
type ShardingInformer interface {
	Shards() []shard.State
	Streams() int
	Imbalance() float64
	Changes() uint64
}

// Shards shows the shards of an informer as a map:
//
//	Shards: map[string]console.Sharded{"pods": console.Shards(informer)}
//
// Given to Informer too, the informer is one line of the pipeline, which tells of its shards.
func Shards(informer ShardingInformer) Sharded {
	if informer == nil {
		return nil
	}
	return &sharding{ShardingInformer: informer, lags: map[string]shardLag{}}
}

// sharding shows a sharding informer. It remembers how late shards were, so that what is shown is how late they are now.
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
			State: one.Phase.String(), Cause: shardTrouble(one),
		}
	}
	s.lags = lags // of those that there are
	return views
}

// next is the mean lag of what was put into the store since the last look, or what it was if that is nothing.
func (l shardLag) next(lags cache.Lags) shardLag {
	if more := lags.Batches - l.seen.Batches; lags.Batches > l.seen.Batches {
		l.lag = (lags.Total - l.seen.Total) / time.Duration(more)
	}
	l.seen = lags
	return l
}

// shardTrouble is what is wrong with a shard. That it has not begun, or lists for the first time, is nothing wrong.
func shardTrouble(s *shard.State) error {
	if s.Cause == nil && s.Full == nil {
		return nil
	}
	return s.Err()
}

package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vedette.dev/cache"
	"vedette.dev/shard"
)

// Sharded is an informer with shards: a *shard.TypedShardingInformer of whatever type.
type Sharded interface {
	cache.SharedInformer
	cache.StateReader
	Shards() []shard.State
	Streams() int
	Changes() uint64
	Imbalance() float64
}

// sharding is what is read of an informer with shards.
type sharding struct {
	streams   int
	changes   uint64
	imbalance float64
	shards    []shard.State
	// each says that the shards are shown one by one.
	each bool
}

func readSharding(informer Sharded, each bool) *sharding {
	return &sharding{
		streams: informer.Streams(), changes: informer.Changes(), imbalance: informer.Imbalance(),
		shards: informer.Shards(), each: each,
	}
}

// shardingFamilies are those that have one series an informer with shards.
var shardingFamilies = []family[sharding]{
	shardingFamily("shards", "How many shards there are.", prometheus.GaugeValue,
		func(s *sharding) float64 { return float64(len(s.shards)) }),
	shardingFamily("streams", "How many lists and watches the shards have in all.", prometheus.GaugeValue,
		func(s *sharding) float64 { return float64(s.streams) }),
	shardingFamily("imbalance_ratio", "How many times the mean the shard with most objects has, with regard to weights. 1 is best, "+
		"0 is without objects.", prometheus.GaugeValue,
		func(s *sharding) float64 { return s.imbalance }),
	shardingFamily("shard_changes_total", "How often the shards were changed.", prometheus.CounterValue,
		func(s *sharding) float64 { return float64(s.changes) }),
}

// shardFamilies are those that have one series a shard.
var shardFamilies = []family[shard.State]{
	shardGauge("objects", "How many objects of the shard are in the store.",
		func(s *shard.State, _ time.Time) float64 { return float64(s.Objects) }),
	shardGauge("synced", "1 if the first list of the shard is in the store.",
		func(s *shard.State, _ time.Time) float64 { return truth(s.Synced) }),
	shardGauge("failures", "How many tries to list or watch have failed in a row, by the stream of the shard that is worst off.",
		func(s *shard.State, _ time.Time) float64 { return float64(s.Failures) }),
	shardGauge("failing_seconds", "For how long that stream has been failing, 0 if it is not.",
		func(s *shard.State, now time.Time) float64 { return age(s.Failing, now) }),
	shardGauge("last_event_age_seconds", "How long ago the server was last heard of, by the stream that is worst off. 0 if never.",
		func(s *shard.State, now time.Time) float64 { return age(s.LastEvent, now) }),
	shardGauge("pending", "How many changes that were received wait for the shard.",
		func(s *shard.State, _ time.Time) float64 { return float64(s.Pending) }),
	shardGauge("pending_age_seconds", "How long the first of them has waited, 0 if there is none.",
		func(s *shard.State, now time.Time) float64 { return age(s.PendingSince, now) }),
	shardGauge("left_out", "How many objects were left out because the shard has reached a limit, since its last list.", leftOut),
	shardCounter("events_total", "How many changes were applied to the shard.",
		func(s *shard.State, _ time.Time) float64 { return float64(s.Applied) }),
	shardCounter("received_bytes_total", "How many bytes they were.",
		func(s *shard.State, _ time.Time) float64 { return float64(s.Received) }),
	shardCounter("merged_total", "How many changes took the place of another one that waited.",
		func(s *shard.State, _ time.Time) float64 { return float64(s.Merged) }),
	shardCounter("moved_in_total", "How many objects came from other shards.",
		func(s *shard.State, _ time.Time) float64 { return float64(s.MovedIn) }),
	shardCounter("moved_out_total", "How many objects went to other shards.",
		func(s *shard.State, _ time.Time) float64 { return float64(s.MovedOut) }),
}

var shardLagDesc = informerDesc("shard_lag_seconds", "How long changes of the shard took from when they were received to when they "+
	"were in the store. Measured once a batch, of the change that waited longest.", "shard")

func leftOut(s *shard.State, _ time.Time) float64 {
	if s.Full == nil {
		return 0
	}
	return float64(s.Full.LeftOut)
}

func shardingFamily(name, help string, kind prometheus.ValueType, read func(*sharding) float64) family[sharding] {
	return family[sharding]{informerDesc(name, help), kind, func(s *sharding, _ time.Time) float64 { return read(s) }}
}

func shardGauge(name, help string, read func(*shard.State, time.Time) float64) family[shard.State] {
	return family[shard.State]{informerDesc("shard_"+name, help, "shard"), prometheus.GaugeValue, read}
}

func shardCounter(name, help string, read func(*shard.State, time.Time) float64) family[shard.State] {
	return family[shard.State]{informerDesc("shard_"+name, help, "shard"), prometheus.CounterValue, read}
}

func (s scrape) sharding(source, name string, is *sharding) {
	for _, f := range shardingFamilies {
		s.show(f.desc, f.kind, f.read(is, s.now), source, name)
	}
	if !is.each {
		return
	}
	for i := range is.shards {
		one := &is.shards[i]
		id := value(one.ID)
		for _, f := range shardFamilies {
			s.show(f.desc, f.kind, f.read(one, s.now), source, name, id)
		}
		s.lags(shardLagDesc, &one.Lags, source, name, id)
	}
}

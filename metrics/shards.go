package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vedette.dev/cache"
	"vedette.dev/shard"
)

// Sharded is an informer with shards: a *shard.TypedShardingInformer of any type.
type Sharded interface {
	cache.SharedInformer
	cache.StateReader
	Shards() []shard.State
	Streams() int
	Changes() uint64
	Imbalance() float64
}

// sharding is the state of an informer with shards.
type sharding struct {
	streams   int
	changes   uint64
	imbalance float64
	shards    []shard.State
	// each means that the shards are exported separately.
	each bool
}

func readSharding(informer Sharded, each bool) *sharding {
	return &sharding{
		streams: informer.Streams(), changes: informer.Changes(), imbalance: informer.Imbalance(),
		shards: informer.Shards(), each: each,
	}
}

// shardingFamilies have one series per informer with shards.
var shardingFamilies = []family[sharding]{
	shardingFamily("shards", "Number of shards.", prometheus.GaugeValue,
		func(s *sharding) float64 { return float64(len(s.shards)) }),
	shardingFamily("streams", "Number of list and watch streams of all shards.", prometheus.GaugeValue,
		func(s *sharding) float64 { return float64(s.streams) }),
	shardingFamily("imbalance_ratio", "Largest load of a shard divided by the mean, taking weights into account. 1 is best, "+
		"0 if there are no objects.", prometheus.GaugeValue,
		func(s *sharding) float64 { return s.imbalance }),
	shardingFamily("shard_changes_total", "Number of changes of the shards.", prometheus.CounterValue,
		func(s *sharding) float64 { return float64(s.changes) }),
}

// shardFamilies have one series per shard.
var shardFamilies = []family[shard.State]{
	shardGauge("objects", "Number of objects of the shard in the store.",
		func(s *shard.State, _ time.Time) float64 { return float64(s.Objects) }),
	shardGauge("synced", "1 if the initial list of the shard is in the store.",
		func(s *shard.State, _ time.Time) float64 { return truth(s.Synced) }),
	shardGauge("failures", "Number of consecutive failures to list or watch, of the worst stream of the shard.",
		func(s *shard.State, _ time.Time) float64 { return float64(s.Failures) }),
	shardGauge("failing_seconds", "How long that stream has been failing, 0 if it is not.",
		func(s *shard.State, now time.Time) float64 { return age(s.Failing, now) }),
	shardGauge("last_event_age_seconds", "Time since the last event, bookmark or end of a list from the server, of the worst stream. 0 if never.",
		func(s *shard.State, now time.Time) float64 { return age(s.LastEvent, now) }),
	shardGauge("pending", "Number of received changes queued for the shard.",
		func(s *shard.State, _ time.Time) float64 { return float64(s.Pending) }),
	shardGauge("pending_age_seconds", "Age of the oldest queued change, 0 if there is none.",
		func(s *shard.State, now time.Time) float64 { return age(s.PendingSince, now) }),
	shardGauge("left_out", "Number of objects skipped since the last list because the shard has reached a limit.", leftOut),
	shardCounter("events_total", "Number of changes applied to the shard.",
		func(s *shard.State, _ time.Time) float64 { return float64(s.Applied) }),
	shardCounter("received_bytes_total", "Size of the changes applied to the shard in bytes.",
		func(s *shard.State, _ time.Time) float64 { return float64(s.Received) }),
	shardCounter("coalesced_total", "Number of changes coalesced with a queued one.",
		func(s *shard.State, _ time.Time) float64 { return float64(s.Coalesced) }),
	shardCounter("moved_in_total", "Number of objects that came from other shards.",
		func(s *shard.State, _ time.Time) float64 { return float64(s.MovedIn) }),
	shardCounter("moved_out_total", "Number of objects that went to other shards.",
		func(s *shard.State, _ time.Time) float64 { return float64(s.MovedOut) }),
}

var shardLagDesc = informerDesc("shard_lag_seconds", "Time from the receipt of a change of the shard until it "+
	"was in the store. Measured once per batch, for its oldest change.", "shard")

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

package metrics

import (
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vedette.dev/cache"
)

// family is one metric of an informer, of a handler or of a shard, and how to read it.
type family[S any] struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(s *S, now time.Time) float64
}

// scrape is where metrics go, and when they are read.
type scrape struct {
	ch  chan<- prometheus.Metric
	now time.Time
}

func (s scrape) show(desc *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
	s.ch <- prometheus.MustNewConstMetric(desc, kind, v, labels...)
}

func informerDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("vedette_informer_"+name, help, append([]string{"source", "informer"}, labels...), nil)
}

func gaugeOf(name, help string, read func(*cache.State, time.Time) float64) family[cache.State] {
	return family[cache.State]{informerDesc(name, help), prometheus.GaugeValue, read}
}

func counterOf(name, help string, read func(*cache.State, time.Time) float64) family[cache.State] {
	return family[cache.State]{informerDesc(name, help), prometheus.CounterValue, read}
}

// informerFamilies are those that have one series an informer.
var informerFamilies = []family[cache.State]{
	gaugeOf("objects", "How many objects are in the store.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.Objects) }),
	gaugeOf("synced", "1 if the first list is in the store.",
		func(s *cache.State, _ time.Time) float64 { return truth(s.Synced) }),
	gaugeOf("failures", "How many tries to list or watch have failed in a row.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.Failures) }),
	gaugeOf("failing_seconds", "For how long it has been failing, 0 if it is not.",
		func(s *cache.State, now time.Time) float64 { return age(s.Failing, now) }),
	gaugeOf("last_event_age_seconds", "How long ago the server was last heard of: an event, a bookmark or the end of a list. 0 if never.",
		func(s *cache.State, now time.Time) float64 { return age(s.LastEvent, now) }),
	gaugeOf("pending", "How many changes that were received wait to be put into the store.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.Pending) }),
	gaugeOf("pending_age_seconds", "How long the first of them has waited, 0 if there is none.",
		func(s *cache.State, now time.Time) float64 { return age(s.PendingSince, now) }),
	counterOf("events_total", "How many events watches have brought.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.Events) }),
	counterOf("received_bytes_total", "How many bytes of objects were received, where the client tells.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.Bytes) }),
	counterOf("lists_total", "How many lists were begun.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.Lists) }),
	counterOf("watches_total", "How many watches were begun.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.Watches) }),
	counterOf("undecodable_total", "How many objects were left out because they could not be decoded.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.Undecodable) }),
	counterOf("skipped_total", "How many things were left out because they are not what was asked for.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.Skipped) }),
	counterOf("index_errors_total", "How many times an index function has failed.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.IndexErrors) }),
}

var (
	phaseDesc = informerDesc("phase", "1 for what the informer is doing, 0 for all else.", "phase")
	lagDesc   = informerDesc("lag_seconds", "How long changes took from when they were received to when they were in the store. "+
		"Measured once a batch, of the change that waited longest.")
	listFailuresDesc  = informerDesc("list_failures_total", "How many lists failed, by reason.", "reason")
	watchFailuresDesc = informerDesc("watch_failures_total", "How many watches failed, by reason.", "reason")
)

// Describe implements prometheus.Collector.
func (s *sources) Describe(ch chan<- *prometheus.Desc) {
	for _, f := range informerFamilies {
		ch <- f.desc
	}
	for _, f := range handlerFamilies {
		ch <- f.desc
	}
	for _, f := range shardingFamilies {
		ch <- f.desc
	}
	for _, f := range shardFamilies {
		ch <- f.desc
	}
	for _, desc := range []*prometheus.Desc{phaseDesc, lagDesc, listFailuresDesc, watchFailuresDesc, shardLagDesc} {
		ch <- desc
	}
}

// Collect implements prometheus.Collector.
func (s *sources) Collect(ch chan<- prometheus.Metric) {
	now := time.Now()
	s.each(func(source, name string, is *shown) {
		scrape{ch, now}.informer(source, name, &is.state)
		if is.sharding != nil {
			scrape{ch, now}.sharding(source, name, is.sharding)
		}
	})
}

func (s scrape) informer(source, name string, state *cache.State) {
	for _, f := range informerFamilies {
		s.show(f.desc, f.kind, f.read(state, s.now), source, name)
	}
	for p := cache.PhaseIdle; p < cache.PhaseStopped; p++ {
		s.show(phaseDesc, prometheus.GaugeValue, truth(p == state.Phase), source, name, strings.ReplaceAll(p.String(), " ", "_"))
	}
	for reason, n := range state.ListsFailed.All() {
		s.show(listFailuresDesc, prometheus.CounterValue, float64(n), source, name, reason)
	}
	for reason, n := range state.WatchesFailed.All() {
		s.show(watchFailuresDesc, prometheus.CounterValue, float64(n), source, name, reason)
	}
	s.lags(lagDesc, &state.Lags, source, name)
	for i := range state.Handlers {
		h := &state.Handlers[i]
		for _, f := range handlerFamilies {
			s.show(f.desc, f.kind, f.read(h, s.now), source, name, value(h.Handler), strconv.Itoa(h.Number))
		}
	}
}

func (s scrape) lags(desc *prometheus.Desc, l *cache.Lags, labels ...string) {
	buckets, within := map[float64]uint64{}, uint64(0)
	for i, bound := range l.Bounds() {
		within += l.Within[i]
		buckets[bound.Seconds()] = within
	}
	s.ch <- prometheus.MustNewConstHistogram(desc, l.Batches, l.Total.Seconds(), buckets, labels...)
}

// age is the time since a moment, 0 if there is none or it is yet to come.
func age(since, now time.Time) float64 {
	if since.IsZero() {
		return 0
	}
	return max(0, now.Sub(since).Seconds())
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

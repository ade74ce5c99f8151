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

// scrape is the destination of metrics, and the time.
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

// informerFamilies have one series per informer.
var informerFamilies = []family[cache.State]{
	gaugeOf("objects", "Number of objects in the store.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.Objects) }),
	gaugeOf("synced", "1 if the initial list is in the store.",
		func(s *cache.State, _ time.Time) float64 { return truth(s.Synced) }),
	gaugeOf("failures", "Number of consecutive failures to list or watch.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.Failures) }),
	gaugeOf("failing_seconds", "How long the informer has been failing, 0 if it is not.",
		func(s *cache.State, now time.Time) float64 { return age(s.Failing, now) }),
	gaugeOf("last_event_age_seconds", "Time since the last event, bookmark or end of a list from the server. 0 if never.",
		func(s *cache.State, now time.Time) float64 { return age(s.LastEvent, now) }),
	gaugeOf("pending", "Number of received changes queued for the store.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.Pending) }),
	gaugeOf("pending_age_seconds", "Age of the oldest queued change, 0 if there is none.",
		func(s *cache.State, now time.Time) float64 { return age(s.PendingSince, now) }),
	counterOf("events_total", "Number of watch events received.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.Events) }),
	counterOf("received_bytes_total", "Size of the objects received in bytes, if the client reports it.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.Bytes) }),
	counterOf("lists_total", "Number of lists started.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.Lists) }),
	counterOf("watches_total", "Number of watches started.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.Watches) }),
	counterOf("undecodable_total", "Number of objects skipped because they could not be decoded.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.Undecodable) }),
	counterOf("skipped_total", "Number of unexpected objects skipped.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.Skipped) }),
	gaugeOf("object_bytes", "Mean size in bytes of the objects received, without dropped fields. 0 if the client does not report it.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.Storage.ObjectBytes) }),
	counterOf("store_lists_total", "Number of lists of the store and loops over it.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.Storage.Lists) }),
	counterOf("index_errors_total", "Number of failures of index functions.",
		func(s *cache.State, _ time.Time) float64 { return float64(s.IndexErrors) }),
}

var (
	phaseDesc = informerDesc("phase", "1 for the current phase of the informer, 0 for the others.", "phase")
	lagDesc   = informerDesc("lag_seconds", "Time from the receipt of a change until it was in the store. "+
		"Measured once per batch, for its oldest change.")
	listFailuresDesc  = informerDesc("list_failures_total", "Number of failed lists, by reason.", "reason")
	watchFailuresDesc = informerDesc("watch_failures_total", "Number of failed watches, by reason.", "reason")

	// The metrics of packed storage have no series for informers with another.
	packedDesc  = informerDesc("packed_bytes", "Memory of packed objects, by the mean of those that were packed.")
	decodesDesc = informerDesc("decodes_total", "Number of packed objects decoded, by use.", "use")
	decodedDesc = informerDesc("decode_seconds_total", "Time spent decoding packed objects, by use. Measured for one in 16.", "use")
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
	for _, desc := range []*prometheus.Desc{phaseDesc, lagDesc, listFailuresDesc, watchFailuresDesc, packedDesc, decodesDesc, decodedDesc, shardLagDesc} {
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
	if state.Storage.Packed {
		s.show(packedDesc, prometheus.GaugeValue, float64(state.Storage.PackedBytes), source, name)
	}
	for _, d := range state.Storage.Decodes {
		s.show(decodesDesc, prometheus.CounterValue, float64(d.Objects), source, name, d.Use)
		s.show(decodedDesc, prometheus.CounterValue, d.Time.Seconds(), source, name, d.Use)
	}
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

// age returns the time since a moment, 0 if it is zero or in the future.
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

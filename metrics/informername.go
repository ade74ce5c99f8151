package metrics

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"vedette.dev/cache"
)

// informerNames are the three metrics of client-go's informers with an InformerName. There is no callback when a name
// is released, so names are checked by a scrape.
type informerNames struct {
	queued, version *prometheus.Desc
	latency         *prometheus.HistogramVec

	mu    sync.Mutex
	named map[nameAndResource]*namedInformer
}

// nameAndResource are the values of the labels.
type nameAndResource struct{ name, group, version, resource string }

func (n nameAndResource) labels() []string { return []string{n.name, n.group, n.version, n.resource} }

// namedInformer is one informer, or several of the same name.
type namedInformer struct {
	ids             []cache.InformerNameAndResource
	queued, version *lastSet
	latency         prometheus.Observer
}

// lastSet is a gauge that is exported once it was set. It is set once per batch, so it does not allocate.
type lastSet struct {
	set  atomic.Bool
	bits atomic.Uint64
}

func (l *lastSet) Set(v float64) {
	l.bits.Store(math.Float64bits(v))
	l.set.Store(true)
}

func (l *lastSet) show(ch chan<- prometheus.Metric, desc *prometheus.Desc, labels []string) {
	if l.set.Load() {
		ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, math.Float64frombits(l.bits.Load()), labels...)
	}
}

func newInformerNames() *informerNames {
	labels := []string{"name", "group", "version", "resource"}
	return &informerNames{
		queued: prometheus.NewDesc("informer_queued_items", "Number of changes queued for the store.", labels, nil),
		latency: histograms(labels, []float64{0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10},
			"informer_processing_latency_seconds", "Duration of writing a batch of changes to the store."),
		version: prometheus.NewDesc("informer_store_resource_version", "The last 15 digits of the resource version of the store.", labels, nil),
		named:   map[nameAndResource]*namedInformer{},
	}
}

// InformerNames returns the InformerMetricsProvider for informers with an InformerName: the metrics
// informer_queued_items, informer_processing_latency_seconds and informer_store_resource_version of client-go. They end
// when the name is released. Factory and Informer export more, and need no names.
func (m *Metrics) InformerNames() cache.InformerMetricsProvider { return nameProvider{m.names} }

type nameProvider struct{ *informerNames }

func (p nameProvider) NewQueuedItemMetric(id cache.InformerNameAndResource) cache.GaugeMetric {
	return p.find(id).queued
}

func (p nameProvider) NewProcessingLatencyMetric(id cache.InformerNameAndResource) cache.HistogramMetric {
	return p.find(id).latency
}

func (p nameProvider) NewStoreResourceVersionMetric(id cache.InformerNameAndResource) cache.GaugeMetric {
	return p.find(id).version
}

func (n *informerNames) find(id cache.InformerNameAndResource) *namedInformer {
	gvr := id.GroupVersionResource()
	key := nameAndResource{value(id.Name()), value(gvr.Group), value(gvr.Version), value(gvr.Resource)}
	n.mu.Lock()
	defer n.mu.Unlock()
	found := n.named[key]
	if found == nil {
		found = &namedInformer{queued: new(lastSet), version: new(lastSet), latency: n.latency.WithLabelValues(key.labels()...)}
		n.named[key] = found
	}
	for _, known := range found.ids {
		if known == id {
			return found
		}
	}
	found.ids = append(found.ids, id)
	return found
}

// alive reports whether some name is still reserved, and drops the others.
func (i *namedInformer) alive() bool {
	kept := i.ids[:0]
	for _, id := range i.ids {
		if id.Reserved() {
			kept = append(kept, id)
		}
	}
	clear(i.ids[len(kept):])
	i.ids = kept
	return len(kept) > 0
}

// Describe implements prometheus.Collector.
func (n *informerNames) Describe(ch chan<- *prometheus.Desc) {
	ch <- n.queued
	ch <- n.version
	n.latency.Describe(ch)
}

// Collect implements prometheus.Collector.
func (n *informerNames) Collect(ch chan<- prometheus.Metric) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for key, i := range n.named {
		if !i.alive() {
			delete(n.named, key)
			n.latency.DeleteLabelValues(key.labels()...)
			continue
		}
		i.queued.show(ch, n.queued, key.labels())
		i.version.show(ch, n.version, key.labels())
	}
	n.latency.Collect(ch)
}

package metrics

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are the metrics of a program under one registerer. It is safe for concurrent use.
type Metrics struct {
	registerer prometheus.Registerer
	all        collectors

	queues     *queueFamilies
	requests   *requestFamilies
	reconciles *reconcileFamilies
	leaders    *leaderFamilies
	sources    *sources
	groups     *groups
	names      *informerNames

	// naming is held while AddInformer looks for a name.
	naming sync.Mutex
}

// New registers all metrics of this package. There are no series yet: they start with what they describe.
//
// It can be called only once for a registerer, since two sets of the same names could not be told apart: share the
// Metrics, or wrap the registerer with a label (prometheus.WrapRegistererWith). Programs that also use
// controller-runtime or component-base need a separate registry, or [NewInformers].
func New(registerer prometheus.Registerer) (*Metrics, error) {
	m := newMetrics(registerer)
	return m.register(m.queues, m.requests, m.reconciles, m.leaders, m.sources, m.groups, m.names)
}

// NewInformers is [New] for informers alone: it registers vedette_informer_* only. The registerer may be one that has the
// metrics of controller-runtime or component-base, such as metrics.Registry of controller-runtime. What other parts of the
// Metrics measure is not exported: work queues, controllers, requests, elections, groups of replicas and informer names.
func NewInformers(registerer prometheus.Registerer) (*Metrics, error) {
	m := newMetrics(registerer)
	return m.register(m.sources)
}

func newMetrics(registerer prometheus.Registerer) *Metrics {
	return &Metrics{
		registerer: registerer,
		queues:     newQueueFamilies(),
		requests:   newRequestFamilies(),
		reconciles: newReconcileFamilies(),
		leaders:    newLeaderFamilies(),
		sources:    newSources(),
		groups:     &groups{named: map[string]*memberOf{}},
		names:      newInformerNames(),
	}
}

// register registers collectors, all or none.
func (m *Metrics) register(all ...prometheus.Collector) (*Metrics, error) {
	if m.registerer == nil {
		return nil, errors.New("metrics: registerer is nil; use prometheus.NewRegistry")
	}
	m.all = all
	if err := m.registerer.Register(m.all); err != nil {
		return nil, fmt.Errorf("metrics: already registered; share the Metrics, "+
			"or wrap the registerer with a label: %w", err)
	}
	return m, nil
}

// Close unregisters all metrics; [New] can be called for the registerer again. Measuring continues, but is not exported.
func (m *Metrics) Close() { m.registerer.Unregister(m.all) }

// collectors are several collectors as one, so that they are registered together or not at all.
type collectors []prometheus.Collector

// Describe implements prometheus.Collector.
func (c collectors) Describe(ch chan<- *prometheus.Desc) {
	for _, one := range c {
		one.Describe(ch)
	}
}

// Collect implements prometheus.Collector.
func (c collectors) Collect(ch chan<- prometheus.Metric) {
	for _, one := range c {
		one.Collect(ch)
	}
}

// drop ends the series with some labels in all families.
func (c collectors) drop(labels prometheus.Labels) {
	for _, one := range c {
		one.(interface {
			DeletePartialMatch(prometheus.Labels) int
		}).DeletePartialMatch(labels)
	}
}

// value returns a string as the value of a label, which must be valid UTF-8: Prometheus would panic, or fail the
// scrape.
func value(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

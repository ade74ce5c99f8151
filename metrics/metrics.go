package metrics

import (
	"errors"
	"fmt"
	"strings"

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
	names      *informerNames
}

// New registers all metrics of this package. There are no series yet: they start with what they describe.
//
// It can be called only once for a registerer, since two sets of the same names could not be told apart: share the
// Metrics, or wrap the registerer with a label (prometheus.WrapRegistererWith). Programs that also use
// controller-runtime or component-base need a separate registry.
func New(registerer prometheus.Registerer) (*Metrics, error) {
	if registerer == nil {
		return nil, errors.New("metrics: registerer is nil; use prometheus.NewRegistry")
	}
	m := &Metrics{
		registerer: registerer,
		queues:     newQueueFamilies(),
		requests:   newRequestFamilies(),
		reconciles: newReconcileFamilies(),
		leaders:    newLeaderFamilies(),
		sources:    newSources(),
		names:      newInformerNames(),
	}
	m.all = collectors{m.queues, m.requests, m.reconciles, m.leaders, m.sources, m.names}
	if err := registerer.Register(m.all); err != nil {
		return nil, fmt.Errorf("metrics: already registered; share the Metrics, "+
			"or wrap the registerer with a label: %w", err)
	}
	return m, nil
}

// Close unregisters all metrics; New can be called for the registerer again. Measuring continues, but is not exported.
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

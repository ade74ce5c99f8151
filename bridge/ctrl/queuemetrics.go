package ctrl

import (
	"errors"
	"fmt"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"vedette.dev/workqueue"
)

// queueMetrics returns a provider of metrics that controller-runtime has registered.
var queueMetrics = sync.OnceValue(func() workqueue.MetricsProvider {
	p := &queueProvider{}
	for _, m := range []struct {
		to   any
		made prometheus.Collector
	}{
		{&p.depth, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Subsystem: metrics.WorkQueueSubsystem, Name: metrics.DepthKey,
			Help: "Current depth of workqueue by workqueue and priority",
		}, []string{"name", "controller", "priority"})},
		{&p.adds, prometheus.NewCounterVec(prometheus.CounterOpts{
			Subsystem: metrics.WorkQueueSubsystem, Name: metrics.AddsKey,
			Help: "Total number of adds handled by workqueue",
		}, queueLabels)},
		{&p.latency, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Subsystem: metrics.WorkQueueSubsystem, Name: metrics.QueueLatencyKey,
			Help: "How long in seconds an item stays in workqueue before being requested",
		}, queueLabels)},
		{&p.duration, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Subsystem: metrics.WorkQueueSubsystem, Name: metrics.WorkDurationKey,
			Help: "How long in seconds processing an item from workqueue takes.",
		}, queueLabels)},
		{&p.unfinished, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Subsystem: metrics.WorkQueueSubsystem, Name: metrics.UnfinishedWorkKey,
			Help: "How many seconds of work has been done that is in progress and hasn't been observed by work_duration. " +
				"Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
		}, queueLabels)},
		{&p.longest, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Subsystem: metrics.WorkQueueSubsystem, Name: metrics.LongestRunningProcessorKey,
			Help: "How many seconds has the longest running processor for workqueue been running.",
		}, queueLabels)},
		{&p.retries, prometheus.NewCounterVec(prometheus.CounterOpts{
			Subsystem: metrics.WorkQueueSubsystem, Name: metrics.RetriesKey,
			Help: "Total number of items added to the workqueue with a non-zero delay (rate-limited requeues, explicit RequeueAfter or AddAfter calls)",
		}, queueLabels)},
	} {
		use(m.to, m.made)
	}
	return p
})

var queueLabels = []string{"name", "controller"}

// use stores the collector that the registry has, or one that is added to it. controller-runtime does not export its collectors, but a
// registry returns the one that has the same name, labels and help. It panics if the registry has another of the name: then this is
// another version of controller-runtime.
func use(to any, made prometheus.Collector) {
	err := metrics.Registry.Register(made)
	var registered prometheus.AlreadyRegisteredError
	if errors.As(err, &registered) {
		made, err = registered.ExistingCollector, nil
	}
	if err != nil {
		panic(fmt.Errorf("bridge: metrics of work queues: %w", err))
	}
	switch to := to.(type) {
	case **prometheus.GaugeVec:
		*to = made.(*prometheus.GaugeVec)
	case **prometheus.CounterVec:
		*to = made.(*prometheus.CounterVec)
	case **prometheus.HistogramVec:
		*to = made.(*prometheus.HistogramVec)
	}
}

// queueProvider is a workqueue.MetricsProvider. The two labels of a queue are its name.
type queueProvider struct {
	depth, unfinished, longest *prometheus.GaugeVec
	adds, retries              *prometheus.CounterVec
	latency, duration          *prometheus.HistogramVec
}

func (p *queueProvider) NewDepthMetric(name string) workqueue.GaugeMetric {
	return p.depth.WithLabelValues(name, name, "")
}

func (p *queueProvider) NewAddsMetric(name string) workqueue.CounterMetric {
	return p.adds.WithLabelValues(name, name)
}

func (p *queueProvider) NewLatencyMetric(name string) workqueue.HistogramMetric {
	return p.latency.WithLabelValues(name, name)
}

func (p *queueProvider) NewWorkDurationMetric(name string) workqueue.HistogramMetric {
	return p.duration.WithLabelValues(name, name)
}

func (p *queueProvider) NewUnfinishedWorkSecondsMetric(name string) workqueue.SettableGaugeMetric {
	return p.unfinished.WithLabelValues(name, name)
}

func (p *queueProvider) NewLongestRunningProcessorSecondsMetric(name string) workqueue.SettableGaugeMetric {
	return p.longest.WithLabelValues(name, name)
}

func (p *queueProvider) NewRetriesMetric(name string) workqueue.CounterMetric {
	return p.retries.WithLabelValues(name, name)
}

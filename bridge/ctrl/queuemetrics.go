package ctrl

import (
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"vedette.dev/workqueue"
)

// queueMetrics returns a provider of metrics that controller-runtime has registered.
var queueMetrics = sync.OnceValue(func() *queueProvider {
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

// priorityProvider is a queueProvider for queues with priorities: their depth has the priority as a label.
type priorityProvider struct{ *queueProvider }

func (p priorityProvider) NewDepthMetric(name string) workqueue.GaugeMetric {
	return &priorityDepth{vec: p.depth, name: name, gauges: map[int]prometheus.Gauge{}}
}

// maxPriorities is the number of priorities that a queue has series of their own for, as in controller-runtime. The others share one.
const (
	maxPriorities   = 25
	otherPriorities = "exceeded_cardinality_limit"
)

// priorityDepth implements workqueue.PriorityGaugeMetric. The queue calls it under its lock.
type priorityDepth struct {
	vec  *prometheus.GaugeVec
	name string
	// gauges has those that were used.
	gauges map[int]prometheus.Gauge
}

var _ workqueue.PriorityGaugeMetric = (*priorityDepth)(nil)

func (d *priorityDepth) gauge(priority int) prometheus.Gauge {
	g, ok := d.gauges[priority]
	if !ok && len(d.gauges) < maxPriorities {
		g, ok = d.vec.WithLabelValues(d.name, d.name, strconv.Itoa(priority)), true
		d.gauges[priority] = g
	}
	if !ok {
		g = d.vec.WithLabelValues(d.name, d.name, otherPriorities)
	}
	return g
}

func (d *priorityDepth) IncPriority(priority int) { d.gauge(priority).Inc() }

func (d *priorityDepth) DecPriority(priority int) { d.gauge(priority).Dec() }

// Inc and Dec are not called by queues with priorities.
func (d *priorityDepth) Inc() { d.IncPriority(0) }

func (d *priorityDepth) Dec() { d.DecPriority(0) }

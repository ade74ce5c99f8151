package workqueue

import (
	"sync"
	"time"
)

// MetricsProvider makes the metrics of a queue. The names on dashboards that they are known by are, in the order of the
// methods: workqueue_depth, _adds_total, _queue_duration_seconds, _work_duration_seconds, _unfinished_work_seconds,
// _longest_running_processor_seconds and _retries_total. The metrics are called under locks of the queue: they should
// be quick and must not call it. A metric that implements [MetricCloser] is closed when its queue has ended.
type MetricsProvider interface {
	NewDepthMetric(name string) GaugeMetric
	NewAddsMetric(name string) CounterMetric
	NewLatencyMetric(name string) HistogramMetric
	NewWorkDurationMetric(name string) HistogramMetric
	NewUnfinishedWorkSecondsMetric(name string) SettableGaugeMetric
	NewLongestRunningProcessorSecondsMetric(name string) SettableGaugeMetric
	NewRetriesMetric(name string) CounterMetric
}

// GaugeMetric is a number that goes up and down.
type GaugeMetric interface {
	Inc()
	Dec()
}

// PriorityGaugeMetric is a number for each priority that goes up and down. If the metric of NewDepthMetric implements it, a [Fair] queue calls
// these methods instead of Inc and Dec, with the priority of the key. Not in client-go.
type PriorityGaugeMetric interface {
	IncPriority(priority int)
	DecPriority(priority int)
}

// SettableGaugeMetric is a number that is set.
type SettableGaugeMetric interface {
	Set(float64)
}

// CounterMetric is a number that goes up.
type CounterMetric interface {
	Inc()
}

// SummaryMetric takes single observations.
type SummaryMetric interface {
	Observe(float64)
}

// HistogramMetric takes single observations.
type HistogramMetric interface {
	Observe(float64)
}

// MetricCloser is a metric that has an end. Close is called once for each metric that a queue was given, before ShutDown
// or ShutDownWithDrain returns, and without a lock. What workers still do afterwards is not measured. The metric of
// retries may still be called for one that was under way; the others are not called any more. Not in client-go, where the metrics of a
// queue outlive it.
type MetricCloser interface {
	Close()
}

func closeMetric(m any) {
	if c, ok := m.(MetricCloser); ok {
		c.Close()
	}
}

// globalProvider is the one piece of package state, kept because SetProvider is part of the surface that programs were
// written for. A provider in a queue's config is the better way.
var globalProvider struct {
	sync.Mutex
	provider MetricsProvider
}

// SetProvider sets the provider for queues that are made from now on and have none in their config. Only the first
// call counts.
//
// Deprecated: give each queue its provider in its config. What one package sets here, another cannot change.
func SetProvider(metricsProvider MetricsProvider) {
	globalProvider.Lock()
	defer globalProvider.Unlock()
	if globalProvider.provider == nil {
		globalProvider.provider = metricsProvider
	}
}

// providerFor is the provider of a queue: nil, for a queue without a name or where none was given.
func providerFor(name string, configured MetricsProvider) MetricsProvider {
	if name == "" {
		return nil
	}
	if configured != nil {
		return configured
	}
	globalProvider.Lock()
	defer globalProvider.Unlock()
	return globalProvider.provider
}

// unfinishedWorkPeriod is how often the two metrics of work in progress are brought up to date.
const unfinishedWorkPeriod = 500 * time.Millisecond

// queueMetrics are the metrics of one queue. A nil one measures nothing.
type queueMetrics struct {
	depth          GaugeMetric
	byPriority     PriorityGaugeMetric // depth, if it is one for each priority
	adds           CounterMetric
	latency        HistogramMetric
	workDuration   HistogramMetric
	unfinishedWork SettableGaugeMetric
	longestRunning SettableGaugeMetric
}

func newQueueMetrics(name string, configured MetricsProvider) *queueMetrics {
	p := providerFor(name, configured)
	if p == nil {
		return nil
	}
	depth := p.NewDepthMetric(name)
	byPriority, _ := depth.(PriorityGaugeMetric)
	return &queueMetrics{
		depth:          depth,
		byPriority:     byPriority,
		adds:           p.NewAddsMetric(name),
		latency:        p.NewLatencyMetric(name),
		workDuration:   p.NewWorkDurationMetric(name),
		unfinishedWork: p.NewUnfinishedWorkSecondsMetric(name),
		longestRunning: p.NewLongestRunningProcessorSecondsMetric(name),
	}
}

func (m *queueMetrics) added(priority int32) {
	if m == nil {
		return
	}
	m.adds.Inc()
	if m.byPriority != nil {
		m.byPriority.IncPriority(int(priority))
	} else {
		m.depth.Inc()
	}
}

func (m *queueMetrics) taken(priority int32, waited int64) {
	if m == nil {
		return
	}
	if m.byPriority != nil {
		m.byPriority.DecPriority(int(priority))
	} else {
		m.depth.Dec()
	}
	m.latency.Observe(seconds(waited))
}

// raised is called when a key that is dirty gets a higher priority.
func (m *queueMetrics) raised(from, to int32) {
	if m != nil && m.byPriority != nil {
		m.byPriority.DecPriority(int(from))
		m.byPriority.IncPriority(int(to))
	}
}

func (m *queueMetrics) done(worked int64) {
	if m != nil {
		m.workDuration.Observe(seconds(worked))
	}
}

// close ends the metrics. The queue does not use them any more.
func (m *queueMetrics) close() {
	if m == nil {
		return
	}
	for _, metric := range []any{m.depth, m.adds, m.latency, m.workDuration, m.unfinishedWork, m.longestRunning} {
		closeMetric(metric)
	}
}

// retryMetric counts delayed adds. It is used without the lock of the queue. A nil one measures nothing.
type retryMetric struct {
	counter CounterMetric
	end     sync.Once
}

func newRetryMetric(name string, configured MetricsProvider) *retryMetric {
	if p := providerFor(name, configured); p != nil {
		return &retryMetric{counter: p.NewRetriesMetric(name)}
	}
	return nil
}

func (m *retryMetric) retried() {
	if m != nil {
		m.counter.Inc()
	}
}

func (m *retryMetric) close() {
	if m != nil {
		m.end.Do(func() { closeMetric(m.counter) })
	}
}

func seconds(nanoseconds int64) float64 { return time.Duration(nanoseconds).Seconds() }

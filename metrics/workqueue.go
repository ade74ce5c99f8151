package metrics

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vedette.dev/workqueue"
)

// queueFamilies are the metrics of work queues. Each has the name of the queue twice, as name and as controller,
// because existing dashboards use either.
type queueFamilies struct {
	collectors
	queues *shared[*queueSeries]
}

// queueSeries are the series of all queues of one name.
type queueSeries struct {
	depth               prometheus.Gauge
	adds, retries       prometheus.Counter
	waited, worked      prometheus.Observer
	unfinished, longest *joint
}

func newQueueFamilies() *queueFamilies {
	labels := []string{"name", "controller"}
	buckets := prometheus.ExponentialBuckets(10e-9, 10, 12)
	depth := gauges(labels, "workqueue_depth", "Number of keys in the work queue.")
	adds := counters(labels, "workqueue_adds_total", "Number of keys added to the work queue.")
	retries := counters(labels, "workqueue_retries_total", "Number of keys added to the work queue with a delay.")
	waited := histograms(labels, buckets, "workqueue_queue_duration_seconds", "Time that keys wait in the work queue.")
	worked := histograms(labels, buckets, "workqueue_work_duration_seconds", "Time that workers take for a key.")
	unfinished := gauges(labels, "workqueue_unfinished_work_seconds",
		"Total time that workers have been processing their current keys.")
	longest := gauges(labels, "workqueue_longest_running_processor_seconds",
		"Longest time that a worker has been processing its current key.")
	all := collectors{depth, adds, retries, waited, worked, unfinished, longest}
	return &queueFamilies{collectors: all, queues: newShared(
		func(name string) *queueSeries {
			return &queueSeries{
				depth:      depth.WithLabelValues(name, name),
				adds:       adds.WithLabelValues(name, name),
				retries:    retries.WithLabelValues(name, name),
				waited:     waited.WithLabelValues(name, name),
				worked:     worked.WithLabelValues(name, name),
				unfinished: newJoint(unfinished.WithLabelValues(name, name), sum),
				longest:    newJoint(longest.WithLabelValues(name, name), most),
			}
		},
		func(name string) { all.drop(prometheus.Labels{"name": name}) },
	)}
}

// Workqueue returns the MetricsProvider for the config of a queue. The series of a queue end when it has shut down.
// Queues of one name share them: counts are added up, and the longest running processor is that of all.
func (m *Metrics) Workqueue() workqueue.MetricsProvider { return queueProvider{m.queues.queues} }

// queueProvider creates metrics that can be closed: see workqueue.MetricCloser.
type queueProvider struct{ queues *shared[*queueSeries] }

func (p queueProvider) NewDepthMetric(name string) workqueue.GaugeMetric {
	s, leave := p.queues.take(name)
	return &level{gauge: s.depth, leave: leave}
}

func (p queueProvider) NewAddsMetric(name string) workqueue.CounterMetric {
	s, leave := p.queues.take(name)
	return count{s.adds, leave}
}

func (p queueProvider) NewRetriesMetric(name string) workqueue.CounterMetric {
	s, leave := p.queues.take(name)
	return count{s.retries, leave}
}

func (p queueProvider) NewLatencyMetric(name string) workqueue.HistogramMetric {
	s, leave := p.queues.take(name)
	return spread{s.waited, leave}
}

func (p queueProvider) NewWorkDurationMetric(name string) workqueue.HistogramMetric {
	s, leave := p.queues.take(name)
	return spread{s.worked, leave}
}

func (p queueProvider) NewUnfinishedWorkSecondsMetric(name string) workqueue.SettableGaugeMetric {
	s, leave := p.queues.take(name)
	return &part{of: s.unfinished, leave: leave}
}

func (p queueProvider) NewLongestRunningProcessorSecondsMetric(name string) workqueue.SettableGaugeMetric {
	s, leave := p.queues.take(name)
	return &part{of: s.longest, leave: leave}
}

type count struct {
	prometheus.Counter
	leave func()
}

func (c count) Close() { c.leave() }

type spread struct {
	prometheus.Observer
	leave func()
}

func (s spread) Close() { s.leave() }

// level is a gauge that others may change too. Its Close subtracts what it has added.
type level struct {
	gauge prometheus.Gauge
	leave func()

	mu    sync.Mutex
	own   int
	ended bool
}

func (l *level) Inc() { l.add(1) }
func (l *level) Dec() { l.add(-1) }

func (l *level) add(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.own += n
		l.gauge.Add(float64(n))
	}
}

func (l *level) Close() {
	l.mu.Lock()
	if !l.ended {
		l.ended = true
		l.gauge.Sub(float64(l.own))
	}
	l.mu.Unlock()
	l.leave()
}

var (
	_ workqueue.MetricCloser = count{}
	_ workqueue.MetricCloser = spread{}
	_ workqueue.MetricCloser = (*level)(nil)
	_ workqueue.MetricCloser = (*part)(nil)
)

func gauges(labels []string, name, help string) *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
}

func counters(labels []string, name, help string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

// histograms have buckets, and are also native histograms, for servers that request these.
func histograms(labels []string, buckets []float64, name, help string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: name, Help: help, Buckets: buckets,
		NativeHistogramBucketFactor:     1.1,
		NativeHistogramMaxBucketNumber:  100,
		NativeHistogramMinResetDuration: time.Hour,
	}, labels)
}

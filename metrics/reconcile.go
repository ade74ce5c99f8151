package metrics

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vedette.dev/controller"
)

// reconcileFamilies are the metrics of controllers, with the names of controller-runtime.
type reconcileFamilies struct {
	collectors
	controllers *shared[*reconcileSeries]
}

// reconcileSeries are the series of all controllers of one name.
type reconcileSeries struct {
	succeeded, later, failed           prometheus.Counter // by result
	errors, terminal, panics, timeouts prometheus.Counter
	took                               prometheus.Observer
	workers, active                    prometheus.Gauge
}

var reconcileBuckets = []float64{
	0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
	1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
}

func newReconcileFamilies() *reconcileFamilies {
	labels := []string{"controller"}
	total := counters([]string{"controller", "result"}, "controller_runtime_reconcile_total", "Number of reconciles, by result.")
	errors := counters(labels, "controller_runtime_reconcile_errors_total", "Number of reconciles that failed, for any reason.")
	terminal := counters(labels, "controller_runtime_terminal_reconcile_errors_total", "Number of reconciles that failed with a terminal error.")
	panics := counters(labels, "controller_runtime_reconcile_panics_total", "Number of reconciles that panicked.")
	timeouts := counters(labels, "controller_runtime_reconcile_timeouts_total", "Number of reconciles that timed out.")
	took := histograms(labels, reconcileBuckets, "controller_runtime_reconcile_time_seconds", "Duration of reconciles.")
	workers := gauges(labels, "controller_runtime_max_concurrent_reconciles", "Number of workers of the controller.")
	active := gauges(labels, "controller_runtime_active_workers", "Number of workers of the controller that are reconciling.")
	all := collectors{total, errors, terminal, panics, timeouts, took, workers, active}
	return &reconcileFamilies{collectors: all, controllers: newShared(
		func(name string) *reconcileSeries {
			total.WithLabelValues(name, "requeue") // controller-runtime has it; it is never used here
			return &reconcileSeries{
				succeeded: total.WithLabelValues(name, "success"),
				later:     total.WithLabelValues(name, "requeue_after"),
				failed:    total.WithLabelValues(name, "error"),
				errors:    errors.WithLabelValues(name),
				terminal:  terminal.WithLabelValues(name),
				panics:    panics.WithLabelValues(name),
				timeouts:  timeouts.WithLabelValues(name),
				took:      took.WithLabelValues(name),
				workers:   workers.WithLabelValues(name),
				active:    active.WithLabelValues(name),
			}
		},
		func(name string) { all.drop(prometheus.Labels{"controller": name}) },
	)}
}

// Reconcile returns the [Metrics] for the config of a controller. The series of a controller end when it has stopped.
// Controllers of one name share them, and are added up.
func (m *Metrics) Reconcile() controller.Metrics { return reconcileProvider{m.reconciles.controllers} }

type reconcileProvider struct{ controllers *shared[*reconcileSeries] }

func (p reconcileProvider) NewControllerMetrics(name string, workers int) controller.ControllerMetrics {
	s, leave := p.controllers.take(name)
	s.workers.Add(float64(workers))
	c := &reconciles{series: s, active: level{gauge: s.active, leave: leave}}
	c.close = sync.OnceFunc(func() {
		s.workers.Sub(float64(workers))
		c.active.Close()
	})
	return c
}

// reconciles are the metrics of one controller.
type reconciles struct {
	series *reconcileSeries
	active level
	close  func()
}

func (c *reconciles) Began() { c.active.Inc() }

func (c *reconciles) Ended(outcome controller.Outcome, took time.Duration) {
	c.active.Dec()
	s := c.series
	s.took.Observe(took.Seconds())
	switch outcome {
	case controller.OutcomeSuccess:
		s.succeeded.Inc()
		return
	case controller.OutcomeRequeueAfter:
		s.later.Inc()
		return
	case controller.OutcomeTerminal:
		s.terminal.Inc()
	case controller.OutcomePanic:
		s.panics.Inc()
	case controller.OutcomeTimeout:
		s.timeouts.Inc()
	}
	s.errors.Inc()
	s.failed.Inc()
}

func (c *reconciles) Close() { c.close() }

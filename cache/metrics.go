package cache

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GaugeMetric is a number that goes up and down.
type GaugeMetric interface {
	Set(float64)
}

// CounterMetric is a number that goes up.
type CounterMetric interface {
	Inc()
}

// SummaryMetric counts observations.
type SummaryMetric interface {
	Observe(float64)
}

// HistogramMetric counts observations by size.
type HistogramMetric interface {
	Observe(float64)
}

// InformerMetricsProvider creates the metrics of one informer's queue and store. Metrics should check id.Reserved()
// when they are updated, so that an informer that has ended is no longer counted.
type InformerMetricsProvider interface {
	// NewQueuedItemMetric returns the metric for the number of queued deltas.
	NewQueuedItemMetric(id InformerNameAndResource) GaugeMetric
	// NewProcessingLatencyMetric returns the metric for the duration in seconds of processing a popped item or batch.
	NewProcessingLatencyMetric(id InformerNameAndResource) HistogramMetric
	// NewStoreResourceVersionMetric returns the metric for the resource version of the store, its last 15 digits.
	NewStoreResourceVersionMetric(id InformerNameAndResource) GaugeMetric
}

// versionMetric returns nil if there are no metrics.
func versionMetric(id InformerNameAndResource, p InformerMetricsProvider) GaugeMetric {
	if p == nil || !id.Reserved() {
		return nil
	}
	return p.NewStoreResourceVersionMetric(id)
}

// onVersion returns the function that sets a metric to the version of a table, nil without a metric.
func onVersion(m GaugeMetric) func(version string) {
	if m == nil {
		return nil
	}
	return func(version string) { countVersion(m, version) }
}

// exactDigits is how many digits of a version a float64 can hold.
const exactDigits = 15

func countVersion(m GaugeMetric, version string) {
	if version == "" {
		m.Set(0)
		return
	}
	if n, err := strconv.ParseInt(version[max(0, len(version)-exactDigits):], 10, 64); err == nil {
		m.Set(float64(n))
	}
}

// processedMetrics returns the function that is called after each batch, with the number of pending changes; nil if
// there are no metrics.
func processedMetrics(id InformerNameAndResource, p InformerMetricsProvider) func(waiting int, began time.Time) {
	if p == nil || !id.Reserved() {
		return nil
	}
	queued, latency := p.NewQueuedItemMetric(id), p.NewProcessingLatencyMetric(id)
	return func(waiting int, began time.Time) {
		queued.Set(float64(waiting))
		latency.Observe(time.Since(began).Seconds())
	}
}

// InformerName is the name of a program's informers in metrics. A nil one means no metrics.
type InformerName struct {
	name     string
	mu       sync.Mutex
	released bool
	reserved map[schema.GroupVersionResource]*atomic.Bool
}

// NewInformerName returns a name, which must not be empty. Names need not be unique in the process; a metrics provider
// detects duplicates.
func NewInformerName(name string) (*InformerName, error) {
	if name == "" {
		return nil, errors.New("informer name cannot be empty")
	}
	return &InformerName{name: name, reserved: map[schema.GroupVersionResource]*atomic.Bool{}}, nil
}

// Name returns the argument of [NewInformerName].
func (n *InformerName) Name() string {
	if n == nil {
		return ""
	}
	return n.name
}

// WithResource returns the identity of one informer. The first for a resource is reserved for metrics, later ones are
// not.
func (n *InformerName) WithResource(gvr schema.GroupVersionResource) InformerNameAndResource {
	if n == nil {
		return InformerNameAndResource{gvr: gvr}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	flag := new(atomic.Bool)
	if n.reserved[gvr] == nil && !n.released {
		flag.Store(true)
		n.reserved[gvr] = flag
	}
	return InformerNameAndResource{name: n.name, gvr: gvr, reserved: flag}
}

// Release ends all reservations under the name.
func (n *InformerName) Release() {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, flag := range n.reserved {
		flag.Store(false)
	}
	clear(n.reserved)
	n.released = true
}

// InformerNameAndResource is the identity of one informer. The zero value means no metrics.
type InformerNameAndResource struct {
	name     string
	gvr      schema.GroupVersionResource
	reserved *atomic.Bool
}

// Reserved reports whether metrics may be published under this identity.
func (n InformerNameAndResource) Reserved() bool { return n.reserved != nil && n.reserved.Load() }

// Name returns the name of the informer.
func (n InformerNameAndResource) Name() string { return n.name }

// GroupVersionResource returns the resource of the informer.
func (n InformerNameAndResource) GroupVersionResource() schema.GroupVersionResource { return n.gvr }

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

// InformerMetricsProvider makes the metrics of one informer's queue and store. It is given in options, and nil means
// none. Metrics should look at id.Reserved() when they are updated, so that an informer that ended is no longer counted.
type InformerMetricsProvider interface {
	// NewQueuedItemMetric is for the number of deltas that wait in the queue.
	NewQueuedItemMetric(id InformerNameAndResource) GaugeMetric
	// NewProcessingLatencyMetric is for the seconds it took to process what was popped.
	NewProcessingLatencyMetric(id InformerNameAndResource) HistogramMetric
	// NewStoreResourceVersionMetric is for the resource version of the store, its last 15 digits.
	NewStoreResourceVersionMetric(id InformerNameAndResource) GaugeMetric
}

// versionMetric returns nil where nothing is to be counted.
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

// processedMetrics returns the function that is called after each batch, with the number of changes that wait; nil if nothing is counted.
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

// InformerName is the name under which a program counts its informers. A nil one means that they are not counted.
type InformerName struct {
	name     string
	mu       sync.Mutex
	released bool
	reserved map[schema.GroupVersionResource]*atomic.Bool
}

// NewInformerName returns a name, which must not be empty. Names are not compared with those of others in the process:
// there is no list of them. A metrics provider sees when two are the same.
func NewInformerName(name string) (*InformerName, error) {
	if name == "" {
		return nil, errors.New("informer name cannot be empty")
	}
	return &InformerName{name: name, reserved: map[schema.GroupVersionResource]*atomic.Bool{}}, nil
}

// Name returns what NewInformerName was given.
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

// InformerNameAndResource is the identity of one informer. The zero value is that of one that is not counted.
type InformerNameAndResource struct {
	name     string
	gvr      schema.GroupVersionResource
	reserved *atomic.Bool
}

// Reserved reports whether metrics may be published under this identity.
func (n InformerNameAndResource) Reserved() bool { return n.reserved != nil && n.reserved.Load() }

// Name returns the name of the informer.
func (n InformerNameAndResource) Name() string { return n.name }

// GroupVersionResource returns what the informer watches.
func (n InformerNameAndResource) GroupVersionResource() schema.GroupVersionResource { return n.gvr }

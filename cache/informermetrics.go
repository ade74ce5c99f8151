package cache

import "time"

// informerMetrics counts what the process loop does. Its fields are nil where nobody wants to know.
type informerMetrics struct {
	queued  GaugeMetric
	latency HistogramMetric
}

func newInformerMetrics(id InformerNameAndResource, p InformerMetricsProvider) informerMetrics {
	if p == nil || !id.Reserved() {
		return informerMetrics{}
	}
	return informerMetrics{queued: p.NewQueuedItemMetric(id), latency: p.NewProcessingLatencyMetric(id)}
}

// processed notes that a batch was processed, and how many changes wait now.
func (m *informerMetrics) processed(waiting int, since time.Time) {
	m.queued.Set(float64(waiting))
	m.latency.Observe(time.Since(since).Seconds())
}

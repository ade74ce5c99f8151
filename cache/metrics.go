package cache

import "strconv"

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

package ctrl

import (
	"fmt"
	"sync"

	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"vedette.dev/bridge"
	"vedette.dev/metrics"
)

var _ bridge.Metrics = (*metrics.Metrics)(nil)

// Metrics returns metrics for bridge.Options.Metrics that are in controller-runtime's registry: the series vedette_informer_* of each
// informer, until it has stopped.
//
//	NewCache: bridgectrl.NewCacheWith(bridge.Options{Metrics: bridgectrl.Metrics()})
//
// They are registered by the first call. It panics if something else has registered metrics of these names.
func Metrics() *metrics.Metrics { return informerMetrics() }

var informerMetrics = sync.OnceValue(func() *metrics.Metrics {
	m, err := metrics.NewInformers(ctrlmetrics.Registry)
	if err != nil {
		panic(fmt.Errorf("bridge: metrics of informers: %w", err))
	}
	return m
})

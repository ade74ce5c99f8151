package leaderelection

import "sync"

// MetricsProvider makes the metric of an elector. The names on dashboards are leader_election_master_status, which On sets to 1
// and Off to 0, and leader_election_slowpath_total. It must not call the elector.
type MetricsProvider interface {
	NewLeaderMetric() LeaderMetric
}

// LeaderMetric is told, with the Name of the election, that this replica leads (On) or does not (Off), and that a renewal took
// more than one request because the lock had been changed, or a request had failed (SlowpathExercised). If it has a method Close
// too, that is called when Run returns: what it shows ends with the elector.
type LeaderMetric interface {
	On(name string)
	Off(name string)
	SlowpathExercised(name string)
}

// globalProvider is the one piece of package state, kept because SetProvider is part of the surface that programs were
// written for. A provider in the config is the better way.
var globalProvider struct {
	sync.Mutex
	provider MetricsProvider
}

// SetProvider sets the provider for electors that are made from now on and have none in their config. Only the first call
// counts.
//
// Deprecated: give each elector its provider in its config. What one package sets here, another cannot change.
func SetProvider(metricsProvider MetricsProvider) {
	globalProvider.Lock()
	defer globalProvider.Unlock()
	if globalProvider.provider == nil {
		globalProvider.provider = metricsProvider
	}
}

// newLeaderMetric is the metric for an elector, one that does nothing if there is no provider.
func newLeaderMetric(configured MetricsProvider) LeaderMetric {
	if configured == nil {
		globalProvider.Lock()
		defer globalProvider.Unlock()
		configured = globalProvider.provider
	}
	if configured != nil {
		if m := configured.NewLeaderMetric(); m != nil {
			return m
		}
	}
	return noMetric{}
}

type noMetric struct{}

func (noMetric) On(string)                {}
func (noMetric) Off(string)               {}
func (noMetric) SlowpathExercised(string) {}

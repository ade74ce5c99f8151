package leaderelection

import "sync"

// MetricsProvider creates the metric of an elector: leader_election_master_status, which On sets to 1 and Off to 0, and
// leader_election_slowpath_total. It must not call the elector.
type MetricsProvider interface {
	NewLeaderMetric() LeaderMetric
}

// LeaderMetric is called, with the Name of the election, when this replica leads (On) or does not (Off), and when a
// renewal took more than one request because the lock had been changed, or a request had failed (SlowpathExercised). If
// it also has a method Close, that is called when Run returns.
type LeaderMetric interface {
	On(name string)
	Off(name string)
	SlowpathExercised(name string)
}

// globalProvider is the only state of the package. It exists for compatibility with SetProvider of client-go; prefer a
// provider in the config.
var globalProvider struct {
	sync.Mutex
	provider MetricsProvider
}

// SetProvider sets the provider for electors that are created from now on and have none in their config. Only the first
// call has an effect.
//
// Deprecated: give each elector its provider in its config. What one package sets here, another cannot change.
func SetProvider(metricsProvider MetricsProvider) {
	globalProvider.Lock()
	defer globalProvider.Unlock()
	if globalProvider.provider == nil {
		globalProvider.provider = metricsProvider
	}
}

// newLeaderMetric returns the metric for an elector, which does nothing if there is no provider.
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

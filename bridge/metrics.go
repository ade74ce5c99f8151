package bridge

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"sync"
	"time"
	"unsafe" // also for go:linkname

	clientgoleaderelection "k8s.io/client-go/tools/leaderelection"
	clientgoresourcelock "k8s.io/client-go/tools/leaderelection/resourcelock"
	clientgometrics "k8s.io/client-go/tools/metrics"
	clientgoworkqueue "k8s.io/client-go/util/workqueue"

	"vedette.dev/leaderelection"
	"vedette.dev/rest"
	"vedette.dev/workqueue"
)

// ForwardMetrics makes Vedette count in the metrics that were registered with client-go: by importing
// k8s.io/component-base/metrics/prometheus/restclient, workqueue or clientgo, by importing controller-runtime, or by calling Register of
// k8s.io/client-go/tools/metrics or SetProvider of client-go's packages. Their series keep names and labels.
//
//	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
//	…
//	bridge.ForwardMetrics(config)
//
// Call it before clients, work queues and electors are made. It sets Metrics of each config, unless that is set, and calls SetProvider of
// vedette.dev/workqueue and vedette.dev/leaderelection, for queues and electors that have no provider in their config. Programs that do not
// want the latter use RESTMetrics, WorkqueueMetrics and LeaderElectionMetrics. Without a config it may be called in init functions: metrics of
// requests may only be registered when feature gates are set, and so are not then.
func ForwardMetrics(configs ...*rest.Config) {
	for _, c := range configs {
		if c == nil {
			panic("bridge: ForwardMetrics was called with a nil config")
		}
		if c.Metrics == nil {
			c.Metrics = RESTMetrics()
		}
	}
	//lint:ignore SA1019 client-go's registration is also for the process
	workqueue.SetProvider(WorkqueueMetrics())
	//lint:ignore SA1019 as above
	leaderelection.SetProvider(LeaderElectionMetrics())
}

// RESTMetrics returns the Metrics for a rest.Config that call what was registered with k8s.io/client-go/tools/metrics: RequestLatency,
// RequestResult, RequestRetry, RateLimiterLatency, RequestSize and ResponseSize. ToClientGo leaves them out, because client-go calls
// these by itself.
func RESTMetrics() rest.Metrics {
	clientgometrics.EnsureRegistered()
	return restMetrics{}
}

// restMetrics reads client-go's variables at each call, as client-go does: they may be set after the config was made.
type restMetrics struct{}

// Throttled implements rest.Metrics.
func (restMetrics) Throttled(verb, host string, waited time.Duration) {
	clientgometrics.RateLimiterLatency.Observe(context.Background(), verb, url.URL{Host: host}, waited)
}

// Attempted implements rest.Metrics.
func (restMetrics) Attempted(a rest.Attempt) {
	ctx, code := context.Background(), "<error>"
	if a.Code != 0 {
		code = strconv.Itoa(a.Code)
	}
	clientgometrics.RequestResult.Increment(ctx, code, a.Verb, a.Host)
	if a.Retry {
		clientgometrics.RequestRetry.IncrementRetry(ctx, code, a.Verb, a.Host)
	}
	if a.Sent >= 0 {
		clientgometrics.RequestSize.Observe(ctx, a.Verb, a.Host, float64(a.Sent))
	}
}

// Finished implements rest.Metrics.
func (restMetrics) Finished(verb, host string, took time.Duration, received int64) {
	ctx := context.Background()
	clientgometrics.RequestLatency.Observe(ctx, verb, url.URL{Host: host}, took)
	if received >= 0 {
		clientgometrics.ResponseSize.Observe(ctx, verb, host, float64(received))
	}
}

// clientGoQueueProvider is the provider that was set with SetProvider of client-go's workqueue. client-go does not return it, so this is
// its variable, which holds a provider without effect if none was set. It is nil with a client-go that has no such variable.
//
//go:linkname clientGoQueueProvider k8s.io/client-go/util/workqueue.globalMetricsProvider
var clientGoQueueProvider clientgoworkqueue.MetricsProvider

// WorkqueueMetrics returns the provider of the metrics that client-go's queues have: those of the provider that was set with SetProvider of
// k8s.io/client-go/util/workqueue. It panics with a version of client-go in which that provider is not found.
func WorkqueueMetrics() workqueue.MetricsProvider {
	if clientGoQueueProvider == nil {
		panic("bridge: the metrics provider of client-go's work queues was not found")
	}
	return queueMetrics{}
}

// queueMetrics reads the provider for each queue: it may be set after ForwardMetrics was called.
type queueMetrics struct{}

func (queueMetrics) NewDepthMetric(name string) workqueue.GaugeMetric {
	return clientGoQueueProvider.NewDepthMetric(name)
}

func (queueMetrics) NewAddsMetric(name string) workqueue.CounterMetric {
	return clientGoQueueProvider.NewAddsMetric(name)
}

func (queueMetrics) NewLatencyMetric(name string) workqueue.HistogramMetric {
	return clientGoQueueProvider.NewLatencyMetric(name)
}

func (queueMetrics) NewWorkDurationMetric(name string) workqueue.HistogramMetric {
	return clientGoQueueProvider.NewWorkDurationMetric(name)
}

func (queueMetrics) NewUnfinishedWorkSecondsMetric(name string) workqueue.SettableGaugeMetric {
	return clientGoQueueProvider.NewUnfinishedWorkSecondsMetric(name)
}

func (queueMetrics) NewLongestRunningProcessorSecondsMetric(name string) workqueue.SettableGaugeMetric {
	return clientGoQueueProvider.NewLongestRunningProcessorSecondsMetric(name)
}

func (queueMetrics) NewRetriesMetric(name string) workqueue.CounterMetric {
	return clientGoQueueProvider.NewRetriesMetric(name)
}

// LeaderElectionMetrics returns the provider of the metrics that client-go's electors have: those of the provider that was set with
// SetProvider of k8s.io/client-go/tools/leaderelection. Electors panic with a version of client-go in which they are not found.
func LeaderElectionMetrics() leaderelection.MetricsProvider { return leaderMetrics{} }

type leaderMetrics struct{}

func (leaderMetrics) NewLeaderMetric() leaderelection.LeaderMetric { return &leaderMetric{} }

// leaderMetric is the metric of an elector, found when the elector first reports: a client-go elector sets the status of its name to 0 when
// it is made, and the name is not known before.
type leaderMetric struct {
	once   sync.Once
	metric leaderelection.LeaderMetric // nil if client-go has no provider
}

func (l *leaderMetric) do(name string, report func(leaderelection.LeaderMetric)) {
	l.once.Do(func() {
		var err error
		if l.metric, err = clientGoLeaderMetric(name); err != nil {
			panic(fmt.Errorf("bridge: %w", err))
		}
	})
	if l.metric != nil {
		report(l.metric)
	}
}

func (l *leaderMetric) On(name string) {
	l.do(name, func(m leaderelection.LeaderMetric) { m.On(name) })
}

func (l *leaderMetric) Off(name string) {
	l.do(name, func(m leaderelection.LeaderMetric) { m.Off(name) })
}

func (l *leaderMetric) SlowpathExercised(name string) {
	l.do(name, func(m leaderelection.LeaderMetric) { m.SlowpathExercised(name) })
}

var errNoLeaderMetric = errors.New("the metric of client-go's electors was not found")

// clientGoLeaderMetric returns the metric of a client-go elector, nil if it has none. client-go keeps its provider in a variable of a type of
// its own, so the metric is taken from the fields of an elector that is never run; names and types of the fields are checked.
func clientGoLeaderMetric(name string) (leaderelection.LeaderMetric, error) {
	elector, err := clientgoleaderelection.NewLeaderElector(clientgoleaderelection.LeaderElectionConfig{
		Name:          name,
		Lock:          &clientgoresourcelock.LeaseLock{LockConfig: clientgoresourcelock.ResourceLockConfig{Identity: "metrics"}},
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks: clientgoleaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) {},
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return nil, err
	}
	metrics := reflect.ValueOf(elector).Elem().FieldByName("metrics")
	if metrics.Kind() != reflect.Interface || metrics.IsNil() {
		return nil, errNoLeaderMetric
	}
	if metrics = metrics.Elem(); metrics.Kind() != reflect.Pointer {
		if metrics.Kind() == reflect.Struct && metrics.NumField() == 0 {
			return nil, nil // client-go's metric without effect
		}
		return nil, errNoLeaderMetric
	}
	if metrics = metrics.Elem(); metrics.Kind() != reflect.Struct {
		return nil, errNoLeaderMetric
	}
	leader := metrics.FieldByName("leader")
	if !leader.IsValid() || leader.Type() != reflect.TypeFor[clientgoleaderelection.LeaderMetric]() || leader.IsNil() {
		return nil, errNoLeaderMetric
	}
	return *(*clientgoleaderelection.LeaderMetric)(unsafe.Pointer(leader.UnsafeAddr())), nil
}

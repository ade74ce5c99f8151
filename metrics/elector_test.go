package metrics_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vedette.dev/apitest"
	"vedette.dev/kubernetes"
	"vedette.dev/leaderelection"
	"vedette.dev/leaderelection/resourcelock"
	"vedette.dev/metrics"
)

// The series of an elector begin and end with it.
func TestTheSeriesOfAnElector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := prometheus.NewRegistry()
		m, err := metrics.New(registry)
		if err != nil {
			t.Fatal(err)
		}
		count := func(want int) {
			t.Helper()
			families, err := registry.Gather()
			got := 0
			for _, f := range families {
				got += len(f.Metric)
			}
			if err != nil || got != want {
				t.Errorf("%d series, want %d (%v)", got, want, err)
			}
		}
		client := kubernetes.NewForConfigOrDie(apitest.New(t, apitest.Config{InMemory: true}).RESTConfig())
		lock, err := resourcelock.New(resourcelock.LeasesResourceLock, "default", "work", client.CoreV1(), client.CoordinationV1(),
			resourcelock.ResourceLockConfig{Identity: "me"})
		if err != nil {
			t.Fatal(err)
		}
		elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: lock, Name: "work", Metrics: m.LeaderElection(), ReleaseOnCancel: true,
			LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(ctx context.Context) { <-ctx.Done() },
				OnStoppedLeading: func() {},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { elector.Run(ctx); close(ended) }()
			time.Sleep(time.Minute)
			count(2)
			cancel()
			<-ended
			count(0)
		}
	})
}

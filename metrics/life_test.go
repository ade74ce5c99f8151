package metrics

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/dynamic"
	"vedette.dev/dynamic/dynamicinformer"
	"vedette.dev/rest"
	"vedette.dev/shard"
)

// life is one of everything, from beginning to end, under names that hang together with n.
func life(t *testing.T, m *Metrics, config *rest.Config, n int, meanwhile func()) {
	t.Helper()
	name := fmt.Sprint(n)
	requests := m.REST()
	defer requests.Close()
	config = rest.CopyConfig(config)
	config.Metrics, config.QPS = requests, -1
	factory := dynamicinformer.NewDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(config), 0).(*dynamicinformer.Factory)
	remove, err := Factory(m, name, factory)
	if err != nil {
		t.Error(err)
		return
	}
	defer remove()
	pods := factory.ForResource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).Informer()
	ctx, cancel := context.WithCancel(background)
	c, err := controller.New(controller.Config[cache.ObjectName]{
		Name: "controller " + fmt.Sprint(n%7),
		Reconcile: func(context.Context, cache.ObjectName) (controller.Result, error) {
			return controller.Result{}, nil
		},
		Metrics: m.Reconcile(), QueueMetrics: m.Workqueue(),
	})
	if err != nil {
		t.Error(err)
		cancel()
		return
	}
	leader := m.LeaderElection().NewLeaderMetric()
	leader.On("lease")
	var running sync.WaitGroup
	running.Go(func() { _ = c.Run(ctx) })
	handle, err := pods.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) {}})
	if err != nil {
		t.Error(err)
	}
	factory.StartWithContext(ctx)
	cache.WaitFor(ctx, "", handle.HasSyncedChecker())
	_, stop := runSharded(t, m, name+" in shards", config, shard.Hash(shard.ByUID(), 2))
	meanwhile()
	stop()
	cancel()
	running.Wait()
	factory.Shutdown()
	leader.(interface{ Close() }).Close()
}

// Demand 11: the number of series returns to where it was.
func TestNothingIsLeftOfAHundredLives(t *testing.T) {
	_, config := newServer(t, apitest.Config{InProcess: true})
	m, registry := mustNew(t)
	stays := newQueue(m, "stays")
	defer stays.ShutDown()
	before := len(gather(t, registry))
	most := 0
	for n := range 100 {
		life(t, m, config, n, func() {
			if n == 0 {
				most = len(gather(t, registry))
			}
		})
	}
	if after := len(gather(t, registry)); after != before || most < before+120 {
		t.Errorf("%d series before, %d in the life of one of each, %d after a hundred", before, most, after)
	}
	if n := len(m.sources.groups) + len(m.queues.queues.held) + len(m.reconciles.controllers.held) +
		len(m.requests.hosts.held) + len(m.leaders.elections.held); n != 1 {
		t.Errorf("%d names are held, want that of one queue", n)
	}
}

// Things come and go during scrapes.
func TestScrapesWhileThingsComeAndGo(t *testing.T) {
	_, config := newServer(t, apitest.Config{InProcess: true})
	m, registry := mustNew(t)
	done := make(chan struct{})
	var lives, looks sync.WaitGroup
	for worker := range 4 {
		lives.Go(func() {
			for n := range 10 {
				life(t, m, config, worker*10+n, func() {})
			}
		})
	}
	for range 2 {
		looks.Go(func() {
			for {
				select {
				case <-done:
					return
				case <-time.After(time.Millisecond):
				}
				if _, err := registry.Gather(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	lives.Wait()
	close(done)
	looks.Wait()
	if got := gather(t, registry); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

package metrics

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/dynamic"
	"vedette.dev/dynamic/dynamicinformer"
)

const podsOf = `informer="core/v1.Pod",source="one"`

func TestFactory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, config := newServer(t, apitest.Config{InProcess: true, Lenient: true})
		m, registry := mustNew(t)
		factory := newFactory(t, config)
		remove, err := Factory(m, "one", factory)
		if err != nil {
			t.Fatal(err)
		}
		if got := gather(t, registry); len(got) != 0 {
			t.Errorf("an empty factory has %v", got)
		}
		ctx, cancel := context.WithCancel(background)
		informer := factory.Core().V1().Pods().Informer()
		stuck := make(chan struct{})
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) {}}); err != nil {
			t.Fatal(err)
		}
		slow, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(any, any) { <-stuck }})
		if err != nil {
			t.Fatal(err)
		}
		gather(t, registry).expect(t, "vedette_informer_phase", phases("idle"))
		factory.StartWithContext(ctx)
		if err := factory.WaitForCacheSyncWithContext(ctx).AsError(); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			for _, name := range []string{"a", "b"} {
				change(t, server, name)
			}
			time.Sleep(time.Second)
		}
		synctest.Wait()
		got := gather(t, registry)
		got.expect(t, "vedette_informer_phase", phases("watching"))
		for family, v := range map[string]float64{"objects": 3, "synced": 1, "failures": 0, "failing_seconds": 0, "lists_total": 0,
			"watches_total": 1, "last_event_age_seconds": 1, "pending": 0, "pending_age_seconds": 0,
			"undecodable_total": 0, "skipped_total": 0, "index_errors_total": 0} {
			got.expect(t, "vedette_informer_"+family, map[string]float64{podsOf: v})
		}
		if v := got["vedette_informer_events_total{"+podsOf+"}"]; v < 9 {
			t.Errorf("%v events", v)
		}
		if v := got["vedette_informer_received_bytes_total{"+podsOf+"}"]; v < 100 {
			t.Errorf("%v bytes", v)
		}
		if v := got["vedette_informer_lag_seconds{"+podsOf+"}"]; v < 4 {
			t.Errorf("%v batches", v)
		}
		number := func(n string) string {
			return `handler="cache.ResourceEventHandlerFuncs",informer="core/v1.Pod",number="` + n + `",source="one"`
		}
		for family, v := range map[string][2]float64{
			"waiting": {0, 5}, "waiting_age_seconds": {0, 3}, "busy_seconds": {0, 3}, "synced": {1, 1},
			"coalescing": {0, 0}, "coalesced_total": {0, 0}, "handled_total": {9, 3}, "panics_total": {0, 0},
		} {
			got.expect(t, "vedette_informer_handler_"+family, map[string]float64{number("1"): v[0], number("2"): v[1]})
		}
		// A handler that goes takes its series along, and the other keeps its name.
		close(stuck)
		if err := cache.ShutDownEventHandler(informer, slow); err != nil {
			t.Fatal(err)
		}
		gather(t, registry).expect(t, "vedette_informer_handler_synced", map[string]float64{number("1"): 1})
		cancel()
		factory.Shutdown()
		if got := gather(t, registry); len(got) != 0 {
			t.Errorf("after the stop there are %v", got)
		}
		remove()
		remove()
	})
}

func change(t testing.TB, server *apitest.Server, name string) {
	t.Helper()
	obj, err := server.Get(background, schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "default", name)
	if err != nil {
		t.Fatal(err)
	}
	p := obj.(*corev1.Pod)
	p.Labels = map[string]string{"at": time.Now().Format("150405.000000")}
	if _, err := server.Update(background, p); err != nil {
		t.Fatal(err)
	}
}

// phases is what is shown of an informer in a phase.
func phases(in string) map[string]float64 {
	all := map[string]float64{}
	for _, p := range []string{"idle", "listing", "streaming", "watching", "backing_off"} {
		all[strings.Replace(podsOf, `,source`, `,phase="`+p+`",source`, 1)] = truth(p == in)
	}
	return all
}

func TestFailuresOfAnInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, config := newServer(t, apitest.Config{InProcess: true})
		m, registry := mustNew(t)
		if _, err := server.Inject(apitest.Fault{Match: apitest.Match{Resource: "pods", Verbs: []string{"list", "watch"}}, Effect: apitest.AnswerForbidden}); err != nil {
			t.Fatal(err)
		}
		factory := newFactory(t, config)
		if _, err := Factory(m, "one", factory); err != nil {
			t.Fatal(err)
		}
		factory.Core().V1().Pods().Informer()
		ctx, cancel := context.WithCancel(background)
		factory.StartWithContext(ctx)
		time.Sleep(time.Minute)
		synctest.Wait()
		got := gather(t, registry)
		got.expect(t, "vedette_informer_phase", phases("backing_off"))
		if v := got["vedette_informer_failing_seconds{"+podsOf+"}"]; v < 50 || v > 60 {
			t.Errorf("failing for %v s", v)
		}
		if v := got["vedette_informer_failures{"+podsOf+"}"]; v < 5 {
			t.Errorf("%v failures", v)
		}
		lists, refused := got["vedette_informer_lists_total{"+podsOf+"}"], got[`vedette_informer_list_failures_total{informer="core/v1.Pod",reason="refused",source="one"}`]
		if lists != refused || lists < 5 {
			t.Errorf("%v lists, of which %v were refused", lists, refused)
		}
		if n := got[`vedette_informer_watch_failures_total{informer="core/v1.Pod",reason="refused",source="one"}`]; n < 1 {
			t.Errorf("%v watches were refused", n)
		}
		cancel()
		factory.Shutdown()
	})
}

func TestSingleInformers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, config := newServer(t, apitest.Config{InProcess: true})
		m, registry := mustNew(t)
		factory := newFactory(t, config)
		pods, maps := factory.Core().V1().Pods().Informer(), factory.Core().V1().ConfigMaps().Informer()
		removePods, err := m.Informer("", "pods", pods)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Informer("", "pods", maps); err == nil || !strings.Contains(err.Error(), `"pods"`) {
			t.Error(err)
		}
		if _, err := m.Informers("", func() map[string]cache.State { return nil }); err == nil {
			t.Error("a source that has single informers was taken")
		}
		if _, err := m.Informer("", "other", nil); err == nil {
			t.Error("nil was taken")
		}
		removeMaps, err := m.Informer("", "maps", maps)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(background)
		factory.StartWithContext(ctx)
		factory.WaitForCacheSyncWithContext(ctx)
		gather(t, registry).expect(t, "vedette_informer_synced", map[string]float64{`informer="pods",source=""`: 1, `informer="maps",source=""`: 1})
		removePods()
		gather(t, registry).expect(t, "vedette_informer_synced", map[string]float64{`informer="maps",source=""`: 1})
		cancel()
		factory.Shutdown()
		again := newFactory(t, config).Core().V1().ConfigMaps().Informer()
		if _, err := m.Informer("", "maps", again); err != nil {
			t.Errorf("the name of one that has stopped: %v", err)
		}
		removePods()
		removeMaps() // of the one that has stopped
		gather(t, registry).expect(t, "vedette_informer_synced", map[string]float64{`informer="maps",source=""`: 0})
		if len(m.sources.groups) != 1 {
			t.Errorf("%v", m.sources.groups)
		}
	})
}

// Single informers that have stopped are released at a scrape, and their memory with them.
func TestStoppedInformersAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, config := newServer(t, apitest.Config{InProcess: true})
		m, registry := mustNew(t)
		factory := newFactory(t, config)
		if _, err := m.Informer("one", "pods", factory.Core().V1().Pods().Informer()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(background)
		factory.StartWithContext(ctx)
		factory.WaitForCacheSyncWithContext(ctx)
		cancel()
		factory.Shutdown()
		if got := gather(t, registry); len(got) != 0 || len(m.sources.groups) != 0 {
			t.Errorf("%v, and %v", got, m.sources.groups)
		}
	})
}

func TestNamesOfInformers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, config := newServer(t, apitest.Config{InProcess: true})
		m, registry := mustNew(t)
		typed := newFactory(t, config)
		typed.Core().V1().Events().Informer()
		typed.Events().V1().Events().Informer() // whose Go type has the same name
		untyped := dynamicinformer.NewDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(config), 0).(*dynamicinformer.Factory)
		untyped.ForResource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"})
		untyped.ForResource(schema.GroupVersionResource{Version: "v1", Resource: "pods"})
		if _, err := Factory(m, "typed", typed); err != nil {
			t.Fatal(err)
		}
		if _, err := Factory(m, "untyped", untyped); err != nil {
			t.Fatal(err)
		}
		if _, err := Factory(m, "typed", untyped); err == nil || !strings.Contains(err.Error(), `"typed"`) {
			t.Error(err)
		}
		gather(t, registry).expect(t, "vedette_informer_objects", map[string]float64{
			`informer="core/v1.Event",source="typed"`: 0, `informer="events/v1.Event",source="typed"`: 0,
			`informer="apps/v1/deployments",source="untyped"`: 0, `informer="v1/pods",source="untyped"`: 0,
		})
	})
}

func TestInformerNames(t *testing.T) {
	m, registry := mustNew(t)
	gvr := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	var names []*cache.InformerName
	for range 2 { // two of the same
		name, err := cache.NewInformerName("x")
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
		store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil, cache.WithStoreMetrics(name.WithResource(gvr), m.InformerNames()))
		store.Bookmark("42")
	}
	id := names[0].WithResource(schema.GroupVersionResource{Version: "v1", Resource: "pods"})
	m.InformerNames().NewQueuedItemMetric(id).Set(3)
	m.InformerNames().NewProcessingLatencyMetric(id).Observe(1)
	deployments, pods := `group="apps",name="x",resource="deployments",version="v1"`, `group="",name="x",resource="pods",version="v1"`
	got := gather(t, registry)
	got.expect(t, "informer_store_resource_version", map[string]float64{deployments: 42})
	got.expect(t, "informer_queued_items", map[string]float64{pods: 3})
	got.expect(t, "informer_processing_latency_seconds", map[string]float64{pods: 1, deployments: 0})
	names[0].Release()
	gather(t, registry).expect(t, "informer_store_resource_version", map[string]float64{deployments: 42})
	names[1].Release()
	if got := gather(t, registry); len(got) != 0 || len(m.names.named) != 0 {
		t.Errorf("after the names were released there are %v", got)
	}
}

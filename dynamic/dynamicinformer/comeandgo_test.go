package dynamicinformer_test

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/dynamic"
	"vedette.dev/dynamic/dynamicinformer"
)

// A kind that is not served is waited for. It says so in its state, and does not fill the log. When it comes, it syncs; when
// it goes, that shows, and when it comes back, so do its objects.
func TestAKindComesAndGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		client := newClient(t, server)
		var lines atomic.Int64
		logger := funcr.New(func(_, args string) { lines.Add(1); t.Log(args) }, funcr.Options{})
		factory := newFactory(t, dynamicinformer.Config{Client: client, Informers: cache.SharedIndexInformerOptions{Logger: &logger}})
		informer := factory.ForResource(widgets).Informer()
		others := factory.ForResource(configMaps).Informer()
		factory.StartWithContext(t.Context())

		time.Sleep(time.Hour)
		state := factory.State()[widgets]
		if !apierrors.IsNotFound(state.Cause) || state.Synced || state.Phase != cache.PhaseBackingOff || state.Failures < 100 {
			t.Errorf("after an hour without it: %+v", state)
		}
		if err := factory.HealthCheck(nil); err == nil || !strings.Contains(err.Error(), "widgets") || strings.Contains(err.Error(), "configmaps") {
			t.Errorf("the health is %v", err)
		}
		if !others.HasSynced() {
			t.Error("another kind waits for it")
		}
		if n := lines.Load(); n > 3 {
			t.Errorf("%d lines in the log", n)
		}

		for range 2 {
			define(t.Context(), t, client)
			create(t.Context(), t, client, widgets, "Widget", "default", "one")
			eventually(t, "its objects are there", func() bool { return len(informer.GetStore().List()) == 1 })
			if err := factory.HealthCheck(nil); err != nil {
				t.Error(err)
			}
			undefine(t.Context(), t, client)
			eventually(t, "the state says that it is gone", func() bool {
				return apierrors.IsNotFound(factory.State()[widgets].Cause)
			})
			eventually(t, "so are its objects", func() bool { return len(informer.GetStore().List()) == 0 })
		}
		if n := lines.Load(); n > 20 {
			t.Errorf("%d lines in the log", n)
		}
		release(t, factory)
	})
}

// A thousand times a kind is defined, watched with a handler, undefined and let go. Nothing stays.
func TestNothingStaysOfKindsThatCameAndWent(t *testing.T) {
	cycles := 1000
	if testing.Short() || raceEnabled {
		cycles = 100
	}
	server := apitest.New(t, apitest.Config{InProcess: true, History: 10})
	client := newClient(t, server)
	factory := newFactory(t, dynamicinformer.Config{Client: client})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	kept := factory.ForResource(configMaps) // one that stays, with the context that all are started with
	factory.StartWithContext(ctx)
	factory.WaitForCacheSync(ctx.Done())
	for range 10 {
		cycle(ctx, t, client, factory)
	}
	goroutines, heap := settle()
	for range cycles {
		cycle(ctx, t, client, factory)
	}
	goroutinesAfter, heapAfter := settle()
	t.Logf("%d cycles: %d goroutines before and %d after, %.2f MB and %.2f MB", cycles, goroutines, goroutinesAfter,
		float64(heap)/1e6, float64(heapAfter)/1e6)
	if goroutinesAfter > goroutines {
		t.Errorf("%d goroutines before, %d after", goroutines, goroutinesAfter)
	}
	// The server is part of the heap, and may keep a little of each cycle.
	if grown := int64(heapAfter) - int64(heap); grown > 64<<10+int64(cycles)*100 {
		t.Errorf("the heap grew by %d bytes a cycle", grown/int64(cycles))
	}
	if len(factory.Informers()) != 1 || kept.Informer().IsStopped() {
		t.Errorf("left: %v", factory.Informers())
	}
	release(t, factory)
}

func cycle(ctx context.Context, t *testing.T, client dynamic.Interface, factory *dynamicinformer.Factory) {
	t.Helper()
	define(ctx, t, client)
	lease := factory.Lease()
	informer := lease.ForResource(widgets).Informer()
	handler, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{})
	if err != nil {
		t.Fatal(err)
	}
	lease.StartWithContext(ctx)
	if !cache.WaitFor(ctx, "", handler.HasSyncedChecker()) {
		t.Fatal("not synced")
	}
	undefine(ctx, t, client)
	if err := lease.Release(ctx); err != nil {
		t.Fatal(err)
	}
}

// settle returns the goroutines and the bytes in use when garbage is gone.
func settle() (goroutines int, heap uint64) {
	for range 3 {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return runtime.NumGoroutine(), m.HeapAlloc
}

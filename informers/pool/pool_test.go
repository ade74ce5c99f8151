package pool

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/cache"
)

func TestOneInformerForAKey(t *testing.T) {
	p, m := newPool(t, Config{}), &maker{}
	first := p.Get("pods", m.make)
	if p.Get("pods", m.make) != first || p.Lease().Get("pods", m.make) != first {
		t.Error("the same key gave another informer")
	}
	if p.Get("nodes", m.make) == first || m.made != 2 {
		t.Errorf("another key gave the same informer, or %d were made", m.made)
	}
}

func TestStartOnlyWhatIsNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, m := newPool(t, Config{}), &maker{}
		ctx, cancel := context.WithCancel(t.Context())
		pods := p.Get("pods", m.make)
		p.StartWithContext(ctx)
		p.StartWithContext(ended()) // has nothing to start, and so nothing to end
		nodes := p.Get("nodes", m.make)
		synctest.Wait()
		if !pods.HasSynced() || pods.IsStopped() || nodes.HasSynced() {
			t.Errorf("synced: pods %v, nodes %v; pods stopped: %v", pods.HasSynced(), nodes.HasSynced(), pods.IsStopped())
		}
		if synced, err := p.Wait(ctx); err != nil || len(synced) != 1 || !synced["pods"] {
			t.Errorf("Wait = %v, %v: it looks only at what was started", synced, err)
		}
		p.StartWithContext(ctx)
		synctest.Wait()
		if !nodes.HasSynced() {
			t.Error("the second start did not start what was asked for after the first")
		}
		cancel()
		p.Shutdown()
		if !pods.IsStopped() || !nodes.IsStopped() {
			t.Error("Shutdown did not wait")
		}
	})
}

func TestWaitTellsWhatHasNotSynced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, Config{})
		refuse := errors.New("refused")
		p.Get("stuck", func() cache.SharedIndexInformer {
			return cache.NewSharedIndexInformer(&cache.ListWatch{
				ListWithContextFunc:  func(context.Context, metav1.ListOptions) (runtime.Object, error) { return nil, refuse },
				WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return nil, refuse },
			}, nil, 0, nil)
		})
		ctx, cancel := context.WithCancelCause(t.Context())
		p.StartWithContext(ctx)
		why := errors.New("timed out")
		cancel(why)
		if synced, err := p.Wait(ctx); !errors.Is(err, why) || synced["stuck"] || len(synced) != 1 {
			t.Errorf("Wait = %v, %v", synced, err)
		}
		p.Shutdown()
	})
}

func TestShutdownBlocksAndRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, m := newPool(t, Config{}), &maker{}
		stop, down := make(chan struct{}), make(chan struct{})
		p.Get("pods", m.make)
		p.Start(stop)
		go func() { p.Shutdown(); close(down) }()
		synctest.Wait()
		late := p.Get("late", m.make)
		p.Start(stop)
		p.Lease().Start(stop)
		synctest.Wait()
		select {
		case <-down:
			t.Error("Shutdown did not wait for the channel to be closed")
		default:
		}
		if late.HasSynced() {
			t.Error("something was started during Shutdown")
		}
		close(stop)
		<-down
		p.Shutdown() // again
		if late.HasSynced() {
			t.Error("something was started after Shutdown")
		}
	})
}

func TestTheLastToLetGoStopsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, m := newPool(t, Config{}), &maker{}
		one, two := p.Lease(), p.Lease()
		pods := one.Get("pods", m.make)
		one.StartWithContext(t.Context())
		two.Get("pods", m.make)
		mustRelease(t, one)
		synctest.Wait()
		if pods.IsStopped() {
			t.Fatal("it stopped while another held it, who has not even started it")
		}
		two.StartWithContext(t.Context())
		mustRelease(t, two)
		if !pods.IsStopped() {
			t.Fatal("Release returned before it had stopped")
		}
		mustRelease(t, two) // again
		if again := two.Get("pods", m.make); again == pods || m.made != 2 {
			t.Error("what has ended was handed out again")
		}
		if err := two.Drop(t.Context(), "pods"); err != nil || len(p.Informers()) != 0 {
			t.Errorf("Drop: %v; left: %v", err, p.Informers())
		}
		if err := two.Drop(t.Context(), "pods"); err != nil {
			t.Error(err)
		}
	})
}

func TestAContextLetsGoOfWhatItStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, m := newPool(t, Config{}), &maker{}
		ctx, cancel := context.WithCancel(t.Context())
		pods := p.Get("pods", m.make)
		p.StartWithContext(ctx)
		lease := p.Lease()
		lease.Get("pods", m.make)
		lease.StartWithContext(t.Context())
		cancel()
		synctest.Wait()
		if pods.IsStopped() {
			t.Fatal("it stopped although a lease holds it")
		}
		mustRelease(t, lease)
		if !pods.IsStopped() || m.made != 1 {
			t.Fatal("it runs although no pool holds it")
		}
		if p.Get("pods", m.make) != pods || len(pods.GetStore().List()) != 2 {
			t.Error("what ended with a context can no longer be read where it was asked for")
		}
		if fresh := p.Lease().Get("pods", m.make); fresh == pods {
			t.Error("a new lease got what has ended")
		}
		p.Shutdown()
	})
}

func TestReleaseFromWithinAHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, m := newPool(t, Config{}), &maker{}
		lease := p.Lease()
		calls := 0
		lease.Get("pods", m.make).AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) {
			if calls++; calls == 1 {
				if err := lease.Release(ended()); !errors.Is(err, context.Canceled) {
					t.Errorf("Release = %v", err)
				}
			}
		}})
		lease.StartWithContext(t.Context())
		synctest.Wait()
		if calls == 0 || len(p.Informers()) != 0 {
			t.Errorf("%d calls, and left: %v", calls, p.Informers())
		}
	})
}

func TestStateAndHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, m := newPool(t, Config{}), &maker{}
		p.Get("pods", m.make)
		if err := p.HealthCheck(nil); err == nil || !strings.Contains(err.Error(), "idle") {
			t.Errorf("before the start: %v", err)
		}
		p.StartWithContext(t.Context())
		lease := p.Lease()
		lease.Get("nodes", m.make)
		lease.StartWithContext(t.Context())
		synctest.Wait()
		if err := p.HealthCheck(nil); err != nil {
			t.Error(err)
		}
		if states := p.State(); len(states) != 2 || states["nodes"].Objects != 2 || states["pods"].Phase != cache.PhaseWatching {
			t.Errorf("the first pool sees %+v", states)
		}
		if states := lease.State(); len(states) != 1 || !states["nodes"].Synced {
			t.Errorf("the lease sees %+v", states)
		}
		mustRelease(t, lease)
		mustRelease(t, p)
	})
}

func TestNamespacesAreChecked(t *testing.T) {
	for _, bad := range []string{"", "a/b"} {
		if _, err := New[string](Config{Namespaces: []string{"ok", bad}}); err == nil {
			t.Errorf("%q was accepted", bad)
		}
		if err := newPool(t, Config{Namespaces: []string{}}).SetNamespaces(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
	if err := newPool(t, Config{}).SetNamespaces("a"); err == nil {
		t.Error("the namespaces of a pool that has none were set")
	}
	p := newPool(t, Config{Namespaces: []string{"b", "a", "b"}})
	if err := p.Lease().SetNamespaces(); err != nil || p.Namespaces() == nil || len(p.Namespaces()) != 0 {
		t.Errorf("%v, %v", err, p.Namespaces())
	}
}

// A lease may release an informer while its namespaces are being set. Until its last goroutine has returned, the informer
// is ending, and has not ended.
func TestSetNamespacesOfAnInformerThatIsEnding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		slow := &cache.ListWatch{
			ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
				<-answer // the context is ignored
				return &corev1.PodList{}, nil
			},
			WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
				return watch.NewFake(), nil
			},
		}
		source := func(string) cache.ListerWatcher {
			return cache.ToListWatcherWithWatchListSemantics(slow, unsupported{})
		}
		informer := cache.NewNamespacedInformer(source, &corev1.Pod{}, []string{"a"}, cache.SharedIndexInformerOptions{})
		ctx, cancel := context.WithCancel(t.Context())
		go informer.RunWithContext(ctx)
		synctest.Wait()
		cancel()
		synctest.Wait()
		if err := informer.SetNamespaces("b"); err == nil || informer.IsStopped() {
			t.Errorf("the informer is not ending: SetNamespaces = %v, IsStopped = %v", err, informer.IsStopped())
		}
		if err := follow(informer, []string{"b"}); err != nil {
			t.Errorf("follow = %v", err)
		}
		close(answer)
		synctest.Wait()
		if err := follow(informer, []string{"b"}); err != nil || !informer.IsStopped() {
			t.Errorf("follow = %v, IsStopped = %v", err, informer.IsStopped())
		}
	})
}

// unsupported is a client without streaming lists.
type unsupported struct{}

func (unsupported) IsWatchListSemanticsUnSupported() bool { return true }

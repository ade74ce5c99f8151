package informers

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/cache"
)

// A controller that takes a SharedInformerFactory is given a lease. When it is released, what only it used stops.
func TestALeaseIsAFactory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, client := newClient(t, pod("here", "one"), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "one"}})
		factory := mustNew(t, Config{Client: client})
		pods := factory.Core().V1().Pods()
		shared := pods.Informer()
		factory.StartWithContext(t.Context())

		lease := factory.Lease()
		var controller SharedInformerFactory = lease
		nodes := controller.Core().V1().Nodes().Informer()
		if controller.Core().V1().Pods().Informer() != shared {
			t.Error("the lease has pods of its own")
		}
		controller.StartWithContext(t.Context())
		if err := controller.WaitForCacheSyncWithContext(t.Context()).AsError(); err != nil {
			t.Error(err)
		}
		if states := factory.State(); len(states) != 2 || factory.HealthCheck(nil) != nil {
			t.Errorf("%+v, %v", states, factory.HealthCheck(nil))
		}
		release(t, lease)
		if !nodes.IsStopped() || shared.IsStopped() || len(factory.State()) != 1 {
			t.Errorf("nodes stopped: %v, pods stopped: %v, states: %v", nodes.IsStopped(), shared.IsStopped(), factory.State())
		}

		if err := factory.Drop(t.Context(), &corev1.Pod{}); err != nil || !shared.IsStopped() {
			t.Errorf("Drop: %v", err)
		}
		if list, _ := pods.Lister().List(labels.Everything()); len(list) != 0 {
			t.Error("a later request did not make a new informer")
		}
		factory.StartWithContext(t.Context())
		synctest.Wait()
		if list, _ := pods.Lister().List(labels.Everything()); len(list) != 1 {
			t.Error("the new informer does not run")
		}
		release(t, factory)
	})
}

func TestNamespacesOfAFactory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, client := newClient(t, pod("a", "one"), pod("b", "one"), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "one"}})
		factory := mustNew(t, Config{Client: client, Namespaces: []string{"a"}})
		pods, nodes := factory.Core().V1().Pods(), factory.Core().V1().Nodes()
		var deleted []string
		pods.TypedInformer().AddTypedEventHandler(cache.TypedResourceEventHandlerFuncs[*corev1.Pod]{
			DeleteFunc: func(d cache.DeletedObject[*corev1.Pod]) { deleted = append(deleted, d.GetKey()) },
		})
		nodes.Informer()
		factory.StartWithContext(t.Context())
		synctest.Wait()
		want := func(when string, keys ...string) {
			t.Helper()
			synctest.Wait()
			got := pods.Informer().GetStore().ListKeys()
			if slices.Sort(got); !slices.Equal(got, keys) {
				t.Errorf("%s: %v", when, got)
			}
		}
		want("at first", "a/one")
		if err := factory.SetNamespaces("b", "a"); err != nil {
			t.Fatal(err)
		}
		want("one more", "a/one", "b/one")
		if err := factory.Lease().SetNamespaces("b"); err != nil {
			t.Fatal(err)
		}
		want("one less", "b/one")
		if !slices.Equal(deleted, []string{"a/one"}) || !slices.Equal(factory.Namespaces(), []string{"b"}) {
			t.Errorf("deleted %v, namespaces %v", deleted, factory.Namespaces())
		}
		if n := len(nodes.Informer().GetStore().List()); n != 1 {
			t.Errorf("%d nodes", n)
		}
		if state := factory.State()[podType]; state.Objects != 1 || !state.Synced {
			t.Errorf("%+v", state)
		}
		secrets := factory.Core().V1().Secrets().Informer()
		if n, ok := secrets.(cache.NamespacedInformer); !ok || !slices.Equal(n.Namespaces(), []string{"b"}) {
			t.Errorf("a later informer looks at other namespaces: %T", secrets)
		}
		release(t, factory)
	})
}

func TestNamespacesCannotBeSetWithoutThem(t *testing.T) {
	_, client := newClient(t)
	for _, factory := range []SharedInformerFactory{
		NewSharedInformerFactory(client, 0), NewSharedInformerFactoryWithOptions(client, 0, WithNamespace("a")),
	} {
		if err := factory.(*Factory).SetNamespaces("a"); err == nil {
			t.Error("it was accepted")
		}
	}
}

// Leases come and go at once, with handlers, while the namespaces change. An informer that has synced has the pods.
func TestHammer(t *testing.T) {
	_, client := newClient(t, pod("a", "one"), pod("b", "one"))
	factory := mustNew(t, Config{Client: client, Namespaces: []string{"a", "b"}})
	end := time.Now().Add(2 * time.Second)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			for time.Now().Before(end) {
				useLease(t, factory.Lease())
			}
		})
	}
	all.Go(func() {
		for time.Now().Before(end) {
			if err := factory.SetNamespaces("a", []string{"b", "c"}[rand.IntN(2)]); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Millisecond)
		}
	})
	all.Wait()
	if left := factory.State(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	factory.Shutdown()
}

func useLease(t *testing.T, lease *Factory) {
	defer release(t, lease)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	pods := lease.Core().V1().Pods()
	added := make(chan struct{}, 100)
	handler, err := pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { added <- struct{}{} }})
	if err != nil {
		t.Error(err)
		return
	}
	lease.StartWithContext(ctx)
	if !cache.WaitFor(ctx, "", handler.HasSyncedChecker()) {
		t.Errorf("the handler has not synced: %+v", lease.State()[reflect.TypeFor[*corev1.Pod]()])
		return
	}
	if _, err := pods.Lister().Pods("a").Get("one"); err != nil || len(added) == 0 {
		t.Errorf("%d added, %v", len(added), err)
	}
}

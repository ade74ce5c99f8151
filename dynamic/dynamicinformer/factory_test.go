package dynamicinformer_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/dynamic/dynamicinformer"
)

func TestForResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		client := newClient(t, server)
		create(t.Context(), t, client, configMaps, "ConfigMap", "default", "one")
		factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
		found := factory.ForResource(configMaps)
		if factory.ForResource(configMaps).Informer() != found.Informer() {
			t.Error("the same resource gave another informer")
		}
		ctx, cancel := context.WithCancel(t.Context())
		factory.Start(ctx.Done())
		if synced := factory.WaitForCacheSync(ctx.Done()); len(synced) != 1 || !synced[configMaps] {
			t.Errorf("synced: %v", synced)
		}
		obj, err := found.Lister().ByNamespace("default").Get("one")
		if err != nil || obj.(*unstructured.Unstructured).GetKind() != "ConfigMap" {
			t.Errorf("%v, %v", obj, err)
		}
		_, err = found.Lister().ByNamespace("default").Get("two")
		if !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), `configmaps "two"`) {
			t.Errorf("got %v", err)
		}
		if state := cache.StateOf(found.Informer()); state.Bytes == 0 || state.Type != configMaps.String() {
			t.Errorf("the informer does not read frames: %+v", state)
		}
		cancel()
		factory.Shutdown()
		if !found.Informer().IsStopped() {
			t.Error("Shutdown did not wait")
		}
	})
}

func TestFilters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true, CreateNamespaces: true})
		client := newClient(t, server)
		for _, namespace := range []string{"here", "there"} {
			create(t.Context(), t, client, configMaps, "ConfigMap", namespace, "one")
			create(t.Context(), t, client, configMaps, "ConfigMap", namespace, "two")
		}
		tweak := func(options *metav1.ListOptions) { options.FieldSelector = "metadata.name=two" }
		factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, "here", tweak)
		single := dynamicinformer.NewFilteredDynamicInformer(client, configMaps, "here", 0, nil, tweak)
		ctx, cancel := context.WithCancel(t.Context())
		shared := factory.ForResource(configMaps)
		factory.Start(ctx.Done())
		go single.Informer().RunWithContext(ctx)
		synctest.Wait()
		for _, informer := range []cache.SharedIndexInformer{shared.Informer(), single.Informer()} {
			if keys := informer.GetStore().ListKeys(); !slices.Equal(keys, []string{"here/two"}) {
				t.Errorf("got %v", keys)
			}
		}
		cancel()
		factory.Shutdown()
	})
}

func TestTransform(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		client := newClient(t, server)
		create(t.Context(), t, client, configMaps, "ConfigMap", "default", "one")
		factory := newFactory(t, dynamicinformer.Config{Client: client, Transform: func(obj any) (any, error) {
			obj.(*unstructured.Unstructured).SetLabels(map[string]string{"seen": "yes"})
			return obj, nil
		}})
		lister := factory.ForResource(configMaps).Lister()
		factory.StartWithContext(t.Context())
		synctest.Wait()
		list, err := lister.List(labels.SelectorFromSet(labels.Set{"seen": "yes"}))
		if err != nil || len(list) == 0 {
			t.Errorf("%v, %v", list, err)
		}
		release(t, factory)
	})
}

// Adding the eleventh namespace lists that one alone, and removing one yields exactly its deletions.
func TestNamespacesChangeWhileItRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true, CreateNamespaces: true})
		client := newClient(t, server)
		all := names(11)
		for _, namespace := range all {
			create(t.Context(), t, client, configMaps, "ConfigMap", namespace, "one")
		}
		factory := newFactory(t, dynamicinformer.Config{Client: client, Namespaces: all[:10]})
		informer := factory.ForResource(configMaps).Informer()
		var added, deleted []string
		informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(obj any) { added = append(added, obj.(metav1.Object).GetNamespace()) },
			DeleteFunc: func(obj any) {
				name, err := cache.DeletionHandlingObjectToName(obj)
				if err != nil {
					t.Error(err)
				}
				deleted = append(deleted, name.Namespace)
			},
		})
		lease := factory.Lease()
		factory.StartWithContext(t.Context())
		synctest.Wait()
		if slices.Sort(added); !slices.Equal(added, all[:10]) {
			t.Errorf("at first: %v", added)
		}
		added = nil
		before := cache.StateOf(informer)
		if err := lease.SetNamespaces(all...); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		after := cache.StateOf(informer)
		if !slices.Equal(added, all[10:]) || len(deleted) != 0 || after.Lists+after.Watches > before.Lists+before.Watches+2 {
			t.Errorf("one more: added %v, deleted %v, lists %d and %d, watches %d and %d",
				added, deleted, before.Lists, after.Lists, before.Watches, after.Watches)
		}
		added = nil
		if err := factory.SetNamespaces(all[1:]...); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !slices.Equal(deleted, all[:1]) || len(added) != 0 || len(informer.GetStore().List()) != 10 {
			t.Errorf("one less: deleted %v, added %v", deleted, added)
		}
		release(t, factory)
	})
}

// A negative period means no resync. client-go takes any period, too, but an informer resyncs without a pause then.
func TestANegativePeriodIsNone(t *testing.T) {
	server := apitest.New(t, apitest.Config{InProcess: true})
	factory := dynamicinformer.NewDynamicSharedInformerFactory(newClient(t, server), -1)
	if factory.ForResource(configMaps).Informer() == nil {
		t.Error("no informer")
	}
}

func TestBadConfig(t *testing.T) {
	server := apitest.New(t, apitest.Config{InProcess: true})
	client := newClient(t, server)
	for want, config := range map[string]dynamicinformer.Config{
		"Client":     {},
		"Resync":     {Client: client, Resync: -1},
		"Namespaces": {Client: client, Namespaces: []string{""}},
	} {
		if _, err := dynamicinformer.New(config); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a nil client did not panic")
		}
	}()
	dynamicinformer.NewDynamicSharedInformerFactory(nil, 0)
}

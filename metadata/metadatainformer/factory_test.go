package metadatainformer_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/metadata"
	"vedette.dev/metadata/metadatainformer"
)

// Nothing here may leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var configMaps = corev1.SchemeGroupVersion.WithResource("configmaps")

func newClient(t *testing.T) metadata.Interface {
	t.Helper()
	server := apitest.New(t, apitest.Config{InProcess: true, CreateNamespaces: true})
	for _, namespace := range []string{"here", "there"} {
		for _, name := range []string{"one", "two"} {
			_, err := server.Create(t.Context(), &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"name": name}},
				Data:       map[string]string{"heavy": strings.Repeat("x", 1000)},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	client, err := metadata.NewForConfig(server.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestForResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newClient(t)
		factory := metadatainformer.NewSharedInformerFactory(client, 0)
		found := factory.ForResource(configMaps)
		ctx, cancel := context.WithCancel(t.Context())
		factory.Start(ctx.Done())
		if synced := factory.WaitForCacheSync(ctx.Done()); len(synced) != 1 || !synced[configMaps] {
			t.Errorf("synced: %v", synced)
		}
		obj, err := found.Lister().ByNamespace("here").Get("one")
		if err != nil || obj.(*metav1.PartialObjectMetadata).Labels["name"] != "one" {
			t.Errorf("%v, %v", obj, err)
		}
		if _, err := found.Lister().ByNamespace("here").Get("three"); !apierrors.IsNotFound(err) {
			t.Errorf("got %v", err)
		}
		if list, err := found.Lister().List(labels.SelectorFromSet(labels.Set{"name": "two"})); err != nil || len(list) != 2 {
			t.Errorf("%v, %v", list, err)
		}
		if state := cache.StateOf(found.Informer()); state.Bytes == 0 || state.Bytes > 3000 {
			t.Errorf("%d bytes were received, for the metadata of four objects", state.Bytes)
		}
		cancel()
		factory.Shutdown()
	})
}

func TestFiltersAndTransform(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newClient(t)
		tweak := func(options *metav1.ListOptions) { options.LabelSelector = "name=two" }
		filtered := metadatainformer.NewFilteredSharedInformerFactory(client, 0, "here", tweak)
		single := metadatainformer.NewFilteredMetadataInformer(client, configMaps, "here", 0, nil, tweak)
		transformed := metadatainformer.NewSharedInformerFactoryWithOptions(client, 0, metadatainformer.WithTransform(func(obj any) (any, error) {
			obj.(*metav1.PartialObjectMetadata).Labels = map[string]string{"seen": "yes"}
			return obj, nil
		}))
		ctx, cancel := context.WithCancel(t.Context())
		shared, changed := filtered.ForResource(configMaps), transformed.ForResource(configMaps)
		filtered.Start(ctx.Done())
		transformed.Start(ctx.Done())
		go single.Informer().RunWithContext(ctx)
		synctest.Wait()
		for _, informer := range []cache.SharedIndexInformer{shared.Informer(), single.Informer()} {
			if keys := informer.GetStore().ListKeys(); !slices.Equal(keys, []string{"here/two"}) {
				t.Errorf("got %v", keys)
			}
		}
		if list, err := changed.Lister().List(labels.SelectorFromSet(labels.Set{"seen": "yes"})); err != nil || len(list) < 4 {
			t.Errorf("%v, %v", list, err)
		}
		cancel()
		filtered.Shutdown()
		transformed.Shutdown()
	})
}

// client-go takes any period, and nothing is resynced if it is negative.
func TestANegativePeriodIsNone(t *testing.T) {
	client := newClient(t)
	for _, factory := range []metadatainformer.SharedInformerFactory{
		metadatainformer.NewSharedInformerFactory(client, -1), metadatainformer.NewSharedInformerFactoryWithOptions(client, -1),
	} {
		if factory.ForResource(configMaps).Informer() == nil {
			t.Error("no informer")
		}
	}
}

func TestBadConfig(t *testing.T) {
	if _, err := metadatainformer.New(metadatainformer.Config{}); err == nil || !strings.Contains(err.Error(), "Client") {
		t.Errorf("got %v", err)
	}
}

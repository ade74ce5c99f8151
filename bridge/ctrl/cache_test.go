package ctrl_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	clientgocache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"vedette.dev/apitest"
	"vedette.dev/bridge"
	"vedette.dev/bridge/ctrl"
	"vedette.dev/cache"
)

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("k8s.io/klog/v2.(*flushDaemon).run.func1"))
}

// newServer returns a server with a pod and a config map, and a configuration for it.
func newServer(t *testing.T) (*apitest.Server, *rest.Config) {
	t.Helper()
	server := apitest.New(t, apitest.Config{})
	for _, obj := range []runtime.Object{pod(), &corev1.ConfigMap{ObjectMeta: named("a"), Data: map[string]string{"k": "v"}}} {
		if _, err := server.Create(t.Context(), obj); err != nil {
			t.Fatal(err)
		}
	}
	config, err := bridge.ToClientGo(server.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	return server, config
}

func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "default", Name: name, Labels: map[string]string{"app": "a"}}
}

func pod() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: named("a"),
		Spec:       corev1.PodSpec{NodeName: "n", Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}
}

var key = client.ObjectKey{Namespace: "default", Name: "a"}

// start makes a cache, and runs it until the test ends.
func start(t *testing.T, config *rest.Config, newCache ctrlcache.NewCacheFunc, opts ctrlcache.Options) *ctrl.Cache {
	t.Helper()
	c, err := newCache(config, opts)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	if !c.WaitForCacheSync(ctx) {
		t.Fatal("the cache has not synced")
	}
	return c.(*ctrl.Cache)
}

func with(options bridge.Options) ctrlcache.NewCacheFunc { return ctrl.NewCacheWith(options) }

// TestWhatReadersGet reads a pod in all forms: with its kind, and so that a change of it is not seen by others.
func TestWhatReadersGet(t *testing.T) {
	_, config := newServer(t)
	untyped := &unstructured.Unstructured{}
	untyped.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	meta := &metav1.PartialObjectMetadata{}
	meta.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	for _, storage := range []cache.Storage{{}, {Packed: true}, {Shared: true}} {
		c := start(t, config, with(bridge.Options{Storage: storage}), ctrlcache.Options{})
		for _, form := range []client.Object{&corev1.Pod{}, untyped, meta} {
			for range 3 {
				got := form.DeepCopyObject().(client.Object)
				if err := c.Get(t.Context(), key, got); err != nil {
					t.Fatal(err)
				}
				if gvk := got.GetObjectKind().GroupVersionKind(); gvk.Kind != "Pod" || gvk.Version != "v1" {
					t.Errorf("%+v: the %T is of kind %v", storage, form, gvk)
				}
				labels := got.GetLabels()
				if !maps.Equal(labels, map[string]string{"app": "a"}) {
					t.Fatalf("%+v: the labels of the %T are %v", storage, form, labels)
				}
				labels["app"] = "changed"
				got.SetLabels(labels)
			}
		}
		var list corev1.PodList
		if err := c.List(t.Context(), &list, client.InNamespace("default"), client.MatchingLabels{"app": "a"}); err != nil {
			t.Fatal(err)
		}
		if len(list.Items) != 1 || list.Items[0].Kind != "Pod" || list.Items[0].Spec.NodeName != "n" {
			t.Errorf("%+v: the list is %+v", storage, list.Items)
		}
		for name, informer := range c.Informers() {
			if state := informer.State(); state.Bytes == 0 || !state.Synced {
				t.Errorf("%+v: the informer %q has read %d bytes", storage, name, state.Bytes)
			}
		}
		want := []string{"core/v1.Pod", "core/v1.Pod (metadata)", "core/v1.Pod (unstructured)"}
		if names := slices.Sorted(maps.Keys(c.Informers())); !slices.Equal(names, want) {
			t.Errorf("%+v: the informers are %q, want %q", storage, names, want)
		}
	}
}

// TestStorageForAKind has pods in packed storage, of which two fields are kept, and config maps that are live.
func TestStorageForAKind(t *testing.T) {
	_, config := newServer(t)
	options := bridge.Options{StorageFor: map[runtime.Object]cache.Storage{
		&corev1.Pod{}: {Packed: true, Keep: []string{"metadata.labels", "spec.nodeName"}},
	}}
	c := start(t, config, with(options), ctrlcache.Options{})
	var got corev1.Pod
	if err := c.Get(t.Context(), key, &got); err != nil {
		t.Fatal(err)
	}
	if got.Spec.NodeName != "n" || len(got.Spec.Containers) != 0 || got.Kind != "Pod" {
		t.Errorf("the pod is %+v", got)
	}
	meta := &metav1.PartialObjectMetadata{}
	meta.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	if err := c.Get(t.Context(), key, meta); err != nil || meta.Labels["app"] != "a" || len(meta.ManagedFields) != 0 {
		t.Errorf("its metadata is %+v, %v", meta, err)
	}
	var m corev1.ConfigMap
	if err := c.Get(t.Context(), key, &m); err != nil || m.Data["k"] != "v" {
		t.Errorf("the config map is %+v, %v", m, err)
	}
	m.Data["k"] = "changed"
	var again corev1.ConfigMap
	if err := c.Get(t.Context(), key, &again); err != nil || again.Data["k"] != "v" {
		t.Errorf("the config map was changed by a reader: %+v, %v", again, err)
	}
}

// TestManagedFieldsAreStrippedBeforeDecoding has controller-runtime's transform, which is known.
func TestManagedFieldsAreStrippedBeforeDecoding(t *testing.T) {
	server, config := newServer(t)
	c := start(t, config, ctrl.NewCache, ctrlcache.Options{DefaultTransform: ctrlcache.TransformStripManagedFields()})
	informer, err := c.GetInformer(t.Context(), &corev1.Pod{})
	if err != nil {
		t.Fatal(err)
	}
	var first corev1.Pod
	if err := c.Get(t.Context(), key, &first, client.UnsafeDisableDeepCopy); err != nil || len(first.ManagedFields) != 0 {
		t.Fatalf("%v, %v", first.ManagedFields, err)
	}
	next := pod()
	next.Status.Phase = corev1.PodRunning
	if _, err := server.UpdateStatus(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	// A new state takes over parts of the stored one only if no transform may have changed it.
	deadline := time.Now().Add(20 * time.Second)
	for {
		var second corev1.Pod
		if err := c.Get(t.Context(), key, &second, client.UnsafeDisableDeepCopy); err != nil {
			t.Fatal(err)
		}
		if second.Status.Phase == corev1.PodRunning {
			if &second.Spec.Containers[0] != &first.Spec.Containers[0] {
				t.Error("the containers of the two states are not the same in memory")
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the update has not come")
		}
		time.Sleep(5 * time.Millisecond)
	}
	if _, ok := bridge.Unwrap(informer.(clientgocache.SharedIndexInformer)); !ok {
		t.Errorf("%T cannot be unwrapped", informer)
	}
}

func TestCachesThatCannotBeMade(t *testing.T) {
	_, config := newServer(t)
	type unknown struct{ corev1.Pod }
	for _, c := range []struct {
		options bridge.Options
		want    string
	}{
		{bridge.Options{Storage: cache.Storage{Keep: []string{"spec.nodeName"}}}, `"spec.nodeName", which not every kind has`},
		{bridge.Options{StorageFor: map[runtime.Object]cache.Storage{&corev1.ConfigMap{}: {Keep: []string{"spec.nodeName"}}}}, "StorageFor[*v1.ConfigMap]"},
		{bridge.Options{StorageFor: map[runtime.Object]cache.Storage{&corev1.Pod{}: {}, &corev1.Pod{Spec: corev1.PodSpec{}}: {}}}, "twice"},
		{bridge.Options{StorageFor: map[runtime.Object]cache.Storage{&unknown{}: {Packed: true}}}, "StorageFor[*ctrl_test.unknown]"},
		{bridge.Options{Storage: cache.Storage{Shared: true, Packed: true}}, "Shared"},
	} {
		if _, err := ctrl.NewCacheWith(c.options)(config, ctrlcache.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want an error with %q", err, c.want)
		}
	}
}

// TestAProgramWithInformersOfItsOwn keeps them.
func TestAProgramWithInformersOfItsOwn(t *testing.T) {
	_, config := newServer(t)
	called := false
	c := start(t, config, ctrl.NewCache, ctrlcache.Options{
		NewInformer: func(lw clientgocache.ListerWatcher, obj runtime.Object, resync time.Duration, indexers clientgocache.Indexers) clientgocache.SharedIndexInformer {
			called = true
			return clientgocache.NewSharedIndexInformer(lw, obj, resync, indexers)
		},
	})
	if err := c.Get(t.Context(), key, &corev1.Pod{}); err != nil || !called || len(c.Informers()) != 0 {
		t.Errorf("%v, called %v, informers %v", err, called, c.Informers())
	}
}

// TestAClientThatIsWrapped makes two caches of one http.Client that is wrapped already.
func TestAClientThatIsWrapped(t *testing.T) {
	_, config := newServer(t)
	plain, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	httpClient, err := bridge.WrapHTTPClient(plain)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		c := start(t, config, ctrl.NewCache, ctrlcache.Options{HTTPClient: httpClient})
		if err := c.Get(t.Context(), key, &corev1.Pod{}); err != nil || c.Informers()["core/v1.Pod"].State().Bytes == 0 {
			t.Errorf("%v, %v", err, c.Informers())
		}
	}
	if _, err := bridge.WrapHTTPClient(plain); err != nil {
		t.Errorf("the client of the program was changed: %v", err)
	}
}

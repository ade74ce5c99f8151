package bridge_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clientgocache "k8s.io/client-go/tools/cache"

	"vedette.dev/bridge"
	"vedette.dev/cache"
)

// InformerFor is the type of factories.
type InformerFor = informers.SharedInformerFactory

func newFactory(client kubernetes.Interface, options bridge.Options) (InformerFor, error) {
	return bridge.NewFactory(client, bridge.FactoryConfig{InformerConfig: bridge.InformerConfig{Options: options}})
}

// hiding is a ListerWatcher that hides the object b.
type hiding struct{ *clientgocache.ListWatch }

func (h hiding) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	obj, err := h.ListWatch.ListWithContext(ctx, options)
	if list, ok := obj.(*corev1.ConfigMapList); ok {
		list.Items = slices.DeleteFunc(list.Items, func(m corev1.ConfigMap) bool { return m.Name == "b" })
	}
	return obj, err
}

func (h hiding) IsWatchListSemanticsUnSupported() bool { return true }

// TestTombstonesAreClientGos has an object that is gone after a list, so that the handler is given its last known state.
func TestTombstonesAreClientGos(t *testing.T) {
	lists := []*corev1.ConfigMapList{
		{ListMeta: metav1.ListMeta{ResourceVersion: "1"}, Items: []corev1.ConfigMap{*configMap("a", "1")}},
		{ListMeta: metav1.ListMeta{ResourceVersion: "9"}},
	}
	var mu sync.Mutex
	lw := hiding{&clientgocache.ListWatch{
		ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
			mu.Lock()
			defer mu.Unlock()
			list := lists[0]
			if len(lists) > 1 {
				lists = lists[1:]
			}
			return list, nil
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			if options.ResourceVersion == "1" {
				return nil, apierrors.NewResourceExpired("too old")
			}
			return watch.NewFake(), nil
		},
	}}
	informer := bridge.NewInformer(lw, &corev1.ConfigMap{}, 0, nil)
	gone := make(chan any, 1)
	registration := must[clientgocache.ResourceEventHandlerRegistration](t)(informer.AddEventHandler(clientgocache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) { gone <- obj },
	}))
	run(t, informer)
	select {
	case obj := <-gone:
		tombstone, ok := obj.(clientgocache.DeletedFinalStateUnknown)
		if !ok || tombstone.Key != "default/a" || tombstone.Obj.(*corev1.ConfigMap).Data["value"] != "1" {
			t.Errorf("the handler was given %#v", obj)
		}
		if key := must[string](t)(clientgocache.DeletionHandlingMetaNamespaceKeyFunc(obj)); key != "default/a" {
			t.Errorf("its key is %q", key)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the handler was not called")
	}
	eventually(t, "sync of the handler", registration.HasSynced)
	handlers := stateOf(t, informer).Handlers
	if len(handlers) != 1 || handlers[0].Handler != "cache.ResourceEventHandlerFuncs" {
		t.Errorf("the state has the handlers %+v", handlers)
	}
	if err := informer.RemoveEventHandler(registration); err != nil {
		t.Error(err)
	}
}

// TestASlowHandler checks how many updates of one object a handler is called for that is slow.
func TestASlowHandler(t *testing.T) {
	const updates = 3000
	for policy, all := range map[bridge.HandlerPolicy]bool{bridge.LikeClientGo: true, bridge.LikeVedette: false} {
		source := watch.NewFakeWithOptions(watch.FakeOptions{ChannelSize: updates})
		lw := hiding{&clientgocache.ListWatch{
			ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
				return &corev1.ConfigMapList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}, nil
			},
			WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return source, nil },
		}}
		informer := bridge.Options{Handlers: policy}.NewInformer(lw, &corev1.ConfigMap{}, 0, nil)
		release := make(chan struct{})
		calls, last := 0, make(chan struct{})
		_ = must[clientgocache.ResourceEventHandlerRegistration](t)(informer.AddEventHandler(clientgocache.ResourceEventHandlerFuncs{
			AddFunc: func(any) { <-release },
			UpdateFunc: func(_, obj any) {
				if calls++; obj.(*corev1.ConfigMap).Data["value"] == "last" {
					close(last)
				}
			},
		}))
		run(t, informer)
		next := func(version int, value string) *corev1.ConfigMap {
			m := configMap("a", value)
			m.UID, m.ResourceVersion = "u", strconv.Itoa(version)
			return m
		}
		source.Add(next(2, "first"))
		for i := range updates {
			name := strconv.Itoa(i)
			if i == updates-1 {
				name = "last"
			}
			source.Modify(next(3+i, name))
			if i%100 == 99 { // so that they are not one batch
				eventually(t, "update", func() bool { return value(informer.GetStore(), "a") == name })
			}
		}
		close(release)
		select {
		case <-last:
		case <-time.After(20 * time.Second):
			t.Fatal("the handler was not called for the last state")
		}
		if got := calls == updates; got != all {
			t.Errorf("policy %d: the handler was called for %d of %d updates", policy, calls, updates)
		}
	}
}

func TestInformerFor(t *testing.T) {
	server, config := newServer(t)
	other := configMap("elsewhere", "1")
	other.Namespace = "kube-system"
	must[any](t)(server.Create(t.Context(), other))
	client := newClient(t, wrapped(t, config))
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("default"))
	informer := must[clientgocache.SharedIndexInformer](t)(bridge.InformerFor(factory, &corev1.ConfigMap{}, client, bridge.InformerConfig{}))
	mine, _ := bridge.Unwrap(informer)
	if its, _ := bridge.Unwrap(factory.Core().V1().ConfigMaps().Informer()); its != mine {
		t.Fatal("the factory has another informer")
	}
	run(t, informer)
	if keys := informer.GetStore().ListKeys(); len(keys) != 2 || stateOf(t, informer).Bytes == 0 {
		t.Errorf("the store has %v, of %d bytes", keys, stateOf(t, informer).Bytes)
	}
	lister := factory.Core().V1().ConfigMaps().Lister()
	if m, err := lister.ConfigMaps("default").Get("a"); err != nil || m.Data["value"] != "1" {
		t.Errorf("the lister returns %v, %v", m, err)
	}
}

func TestInformersThatCannotBeMade(t *testing.T) {
	client := kubernetes.Interface(fake.NewClientset())
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Pods().Informer()
	tweaked := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTweakListOptions(func(*metav1.ListOptions) {}))
	keep := func(storage cache.Storage) bridge.InformerConfig {
		return bridge.InformerConfig{Options: bridge.Options{StorageFor: map[runtime.Object]cache.Storage{&corev1.ConfigMap{}: storage}}}
	}
	for _, c := range []struct {
		factory informers.SharedInformerFactory
		obj     runtime.Object
		config  bridge.InformerConfig
		want    string
	}{
		{factory, &corev1.Pod{}, bridge.InformerConfig{}, "has made an informer of the kind already: *v1.Pod"},
		{factory, &corev1.PodList{}, bridge.InformerConfig{}, "has no client for *v1.PodList"},
		{factory, &corev1.ConfigMap{}, keep(cache.Storage{Keep: []string{"spec.nodeName"}}), "StorageFor[*v1.ConfigMap]"},
		{factory, &corev1.ConfigMap{}, keep(cache.Storage{Packed: true, Shared: true}), "Shared and Storage.Packed"},
		{factory, &corev1.ConfigMap{}, bridge.InformerConfig{Options: bridge.Options{Storage: cache.Storage{Keep: []string{"data"}}}}, `"data", which not every kind has`},
		{factory, &corev1.ConfigMap{}, bridge.InformerConfig{Options: bridge.Options{Storage: cache.Storage{Packed: true, Shared: true}}}, "Options.Storage"},
		{factory, &corev1.ConfigMap{}, bridge.InformerConfig{Options: bridge.Options{Handlers: 9}}, "Options.Handlers is 9"},
		{tweaked, &corev1.ConfigMap{}, bridge.InformerConfig{}, "TweakListOptions"},
	} {
		_, err := bridge.InformerFor(c.factory, c.obj, client, c.config)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T: %v, want an error with %q", c.obj, err, c.want)
		}
	}
	if _, err := bridge.InformerFor(factory, &corev1.Pod{}, client, bridge.InformerConfig{}); !errors.Is(err, bridge.ErrAlreadyMade) {
		t.Error(err)
	}
	if _, err := bridge.NewFactory(nil, bridge.FactoryConfig{}); err == nil {
		t.Error("a factory without a clientset")
	}
}

// TestAFactoryOfAllKinds asks for each kind by its resource. The clientset is a fake, which has no bytes.
func TestAFactoryOfAllKinds(t *testing.T) {
	client := fake.NewClientset(configMap("a", "1"))
	options := bridge.Options{Storage: cache.Storage{Packed: true, Drop: []string{"metadata.managedFields", "spec.nodeName"}}}
	factory := must[InformerFor](t)(newFactory(client, options))
	generic := must[informers.GenericInformer](t)(factory.ForResource(corev1.SchemeGroupVersion.WithResource("configmaps")))
	for _, informer := range []clientgocache.SharedIndexInformer{
		generic.Informer(), factory.Core().V1().ConfigMaps().Informer(), factory.Apps().V1().Deployments().Informer(),
		factory.Rbac().V1().ClusterRoles().Informer(), factory.Events().V1().Events().Informer(), factory.Core().V1().Events().Informer(),
	} {
		if _, ok := bridge.Unwrap(informer); !ok {
			t.Errorf("%T is an informer of client-go", informer)
		}
	}
	made := factory.(interface {
		Informers() map[reflect.Type]cache.SharedIndexInformer
	}).Informers()
	if len(made) != 5 || made[reflect.TypeFor[*corev1.ConfigMap]()] == nil {
		t.Errorf("the informers are %v, want 5", made)
	}
	factory.StartWithContext(t.Context())
	factory.WaitForCacheSyncWithContext(t.Context())
	if m, err := factory.Core().V1().ConfigMaps().Lister().ConfigMaps("default").Get("a"); err != nil || m.Data["value"] != "1" {
		t.Errorf("the lister returns %v, %v", m, err)
	}
	if list, err := generic.Lister().ByNamespace("default").Get("a"); err != nil || list == nil {
		t.Errorf("the generic lister returns %v, %v", list, err)
	}
	if _, ok := bridge.Unwrap(informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer()); ok {
		t.Error("an informer of client-go was unwrapped")
	}
}

func TestIndexes(t *testing.T) {
	_, config := newServer(t)
	factory := must[InformerFor](t)(newFactory(newClient(t, wrapped(t, config)), bridge.Options{Storage: cache.Storage{Packed: true}}))
	informer := factory.Core().V1().ConfigMaps().Informer()
	run(t, informer)
	byValue := func(obj any) ([]string, error) { return []string{obj.(*corev1.ConfigMap).Data["value"]}, nil }
	if err := informer.AddIndexers(clientgocache.Indexers{"value": byValue}); err != nil {
		t.Fatal(err)
	}
	if objs := must[[]any](t)(informer.GetIndexer().ByIndex("value", "1")); len(objs) != 2 {
		t.Errorf("%d objects by value", len(objs))
	}
	if objs := must[[]any](t)(informer.GetIndexer().ByIndex(clientgocache.NamespaceIndex, "default")); len(objs) != 2 {
		t.Errorf("%d objects by namespace", len(objs))
	}
	if len(informer.GetIndexer().GetIndexers()) != 2 {
		t.Errorf("the indexes are %v", informer.GetIndexer().GetIndexers())
	}
	obj, ok, err := informer.GetStore().Get(configMap("a", ""))
	if err != nil || !ok || obj.(*corev1.ConfigMap).Data["value"] != "1" {
		t.Errorf("Get returns %v, %v, %v", obj, ok, err)
	}
}

func TestAHandlerThatComesTooLate(t *testing.T) {
	informer := bridge.NewInformer(&clientgocache.ListWatch{}, &corev1.ConfigMap{}, 0, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	informer.RunWithContext(ctx)
	_, err := informer.AddEventHandler(clientgocache.ResourceEventHandlerFuncs{})
	if err == nil || !strings.Contains(err.Error(), "was not added to shared informer because it has stopped already") {
		t.Error(err)
	}
	if !informer.IsStopped() || informer.SetTransform(nil) == nil {
		t.Error("the informer can be changed after its end")
	}
}

// exported is a bridge.Metrics that remembers what it was given.
type exported map[string]cache.SharedInformer

func (e exported) AddInformer(source, name string, informer cache.SharedInformer) (remove func(), err error) {
	if e == nil {
		return nil, errors.New("no more")
	}
	e[source+" "+name] = informer
	return func() {}, nil
}

func TestMetricsAreGivenEachInformer(t *testing.T) {
	metrics := exported{}
	options := bridge.Options{Metrics: metrics, MetricsSource: "here"}
	factory := must[InformerFor](t)(newFactory(fake.NewClientset(), options))
	pods := factory.Core().V1().Pods().Informer()
	widget := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "Widget"}}
	widgets := options.NewInformer(&clientgocache.ListWatch{}, widget, 0, nil)
	for name, informer := range map[string]clientgocache.SharedIndexInformer{"here core/v1.Pod": pods, "here example.com/v1.Widget (metadata)": widgets} {
		if engine, _ := bridge.Unwrap(informer); metrics[name] != cache.SharedInformer(engine) {
			t.Errorf("the informer %q was not given to the metrics, which have %v", name, metrics)
		}
	}
	defer func() {
		if value := recover(); value == nil || !strings.Contains(value.(error).Error(), "Options.Metrics: no more") {
			t.Errorf("it panics with %v", value)
		}
	}()
	bridge.Options{Metrics: exported(nil)}.NewInformer(&clientgocache.ListWatch{}, widget, 0, nil)
}

package cache

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
	"vedette.dev/dynamic"
	typed "vedette.dev/kubernetes/typed/core/v1"
)

// storageCase is a server with pods, and an informer of them.
type storageCase struct {
	dropped bool // managed fields are not stored
	t       *testing.T
	server  *apitest.Server
	SharedIndexInformer
}

func storagePod(name, node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: map[string]string{"node": node}},
		Spec:       corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "c", Image: "i", Env: []corev1.EnvVar{{Name: "A", Value: "a value"}}}}},
	}
}

const inProtobuf, inJSON, inCBOR = "application/vnd.kubernetes.protobuf", "application/json", "application/cbor"

// withStorage runs a test with an informer of three pods that has synced.
func withStorage(t *testing.T, options SharedIndexInformerOptions, handlers []ResourceEventHandler, test func(t *testing.T, c *storageCase)) {
	t.Helper()
	withStorageIn(t, inProtobuf, options, handlers, test)
}

// withStorageIn does the same with a server that sends pods in a form.
func withStorageIn(
	t *testing.T, form string, options SharedIndexInformerOptions, handlers []ResourceEventHandler, test func(t *testing.T, c *storageCase),
) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true, CBOR: form == inCBOR})
		for i, name := range []string{"web-1", "web-2", "db-1"} {
			_, err := server.Create(t.Context(), storagePod(name, fmt.Sprintf("node-%d", i%2)))
			mustNot(t, err)
		}
		config := server.RESTConfig()
		config.ContentType = form
		client, err := typed.NewForConfig(config)
		mustNot(t, err)
		c := &storageCase{t: t, server: server}
		c.SharedIndexInformer = NewSharedIndexInformerWithOptions(NewListWatchFromClient(client.RESTClient(), "pods", "", nil), &corev1.Pod{}, options)
		for _, h := range handlers {
			_, err := c.AddEventHandler(h)
			mustNot(t, err)
		}
		c.run()
		test(t, c)
	})
}

func (c *storageCase) run() {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); c.RunWithContext(ctx) }()
	c.t.Cleanup(func() { cancel(); <-ended })
	synctest.Wait()
	if !c.HasSynced() {
		c.t.Fatalf("not synced: %+v", StateOf(c))
	}
}

func (c *storageCase) get(key string) *corev1.Pod {
	c.t.Helper()
	obj, ok, err := c.GetStore().GetByKey(key)
	if err != nil || !ok {
		c.t.Fatalf("%s: %v, %v", key, ok, err)
	}
	return obj.(*corev1.Pod)
}

// onServer is what the server has, as a client decodes it.
func (c *storageCase) onServer(name string) *corev1.Pod {
	c.t.Helper()
	client, err := typed.NewForConfig(c.server.RESTConfig())
	mustNot(c.t, err)
	pod, err := client.Pods("default").Get(c.t.Context(), name, metav1.GetOptions{})
	mustNot(c.t, err)
	return pod
}

var packedOptions = SharedIndexInformerOptions{
	Storage: Storage{Packed: true},
	Indexers: Indexers{
		NamespaceIndex: MetaNamespaceIndexFunc,
		"node":         func(obj any) ([]string, error) { return []string{obj.(*corev1.Pod).Spec.NodeName}, nil },
		"label":        IndexByMeta(func(m metav1.Object) ([]string, error) { return []string{m.GetLabels()["node"]}, nil }),
	},
}

func TestPackedReadersOwnWhatTheyRead(t *testing.T) {
	for _, form := range []string{inProtobuf, inJSON, inCBOR} {
		t.Run(form, func(t *testing.T) { withStorageIn(t, form, packedOptions, nil, packedReadersOwnWhatTheyRead) })
	}
}

func packedReadersOwnWhatTheyRead(t *testing.T, c *storageCase) {
	first := c.get("default/web-1")
	if want := c.onServer("web-1"); !reflect.DeepEqual(first, want) {
		t.Errorf("got %+v, want %+v", first, want)
	}
	first.Spec.Containers[0].Env[0].Value = "changed"
	first.Labels["node"] = "changed"
	for range 3 { // the first is decoded, and others are copied
		second := c.get("default/web-1")
		if !reflect.DeepEqual(second, c.onServer("web-1")) {
			t.Errorf("what one reader changed, another sees: %+v", second)
		}
		second.Spec.Containers[0].Env[0].Value = "changed"
		second.Labels["node"] = "changed"
	}
	lister := NewTypedLister[*corev1.Pod](c.GetIndexer(), corev1.Resource("pods"))
	for name, list := range map[string]func() ([]*corev1.Pod, error){
		"List": func() ([]*corev1.Pod, error) { return lister.List(labels.Everything()) },
		"List, selected": func() ([]*corev1.Pod, error) {
			return lister.List(labels.SelectorFromSet(labels.Set{"node": "node-0"}))
		},
		"List, namespaced": func() ([]*corev1.Pod, error) { return lister.ByNamespace("default").List(labels.Everything()) },
		"ByIndex": func() ([]*corev1.Pod, error) {
			return NewTypedIndexer[*corev1.Pod](c.GetIndexer()).ByTypedIndex("node", "node-0")
		},
		"ByIndex of metadata": func() ([]*corev1.Pod, error) {
			return NewTypedIndexer[*corev1.Pod](c.GetIndexer()).ByTypedIndex("label", "node-0")
		},
		"Index": func() ([]*corev1.Pod, error) {
			list, err := c.GetIndexer().Index("node", storagePod("x", "node-0"))
			out, _ := typedList[*corev1.Pod](list)
			return out, err
		},
		"Store.List": func() ([]*corev1.Pod, error) { return typedList[*corev1.Pod](c.GetStore().List()) },
		"ListAll": func() (out []*corev1.Pod, err error) {
			err = ListAll(c.GetStore(), labels.Everything(), func(obj any) { out = append(out, obj.(*corev1.Pod)) })
			return out, err
		},
	} {
		pods, err := list()
		mustNot(t, err)
		want := 3
		if strings.Contains(name, "selected") || strings.Contains(name, "Index") {
			want = 2
		}
		if len(pods) != want {
			t.Errorf("%s has %d pods, want %d", name, len(pods), want)
		}
		for _, pod := range pods {
			if !reflect.DeepEqual(pod, c.onServer(pod.Name)) {
				t.Errorf("%s: got %+v", name, pod)
			}
			pod.Spec.Containers[0].Image = "changed"
		}
	}
}

// TestPackedLazily sees that nothing is decoded for those who do not ask.
func TestPackedLazily(t *testing.T) {
	var mu sync.Mutex
	var events []string
	var last LazyEvent
	lazy := LazyEventHandlerFunc(func(e LazyEvent) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, fmt.Sprintf("%s %s %v", e.Type, e.Key, e.Initial))
		last = e
	})
	options := SharedIndexInformerOptions{Storage: Storage{Packed: true}, Indexers: Indexers{
		NamespaceIndex: MetaNamespaceIndexFunc,
		"label":        packedOptions.Indexers["label"],
	}}
	withStorage(t, options, []ResourceEventHandler{lazy}, func(t *testing.T, c *storageCase) {
		kept := c.SharedIndexInformer.(*informer).engine.Codec().Decoded
		pod := c.onServer("web-1")
		pod.Labels["more"] = "yes"
		_, err := c.server.Update(t.Context(), pod)
		mustNot(t, err)
		synctest.Wait()
		if n := kept(); n != 0 {
			t.Errorf("%d objects were decoded for no reader", n)
		}
		if got, want := last.Object(), c.onServer("web-1"); last.Type != watch.Modified || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", last.Type, got, want)
		}
		if old := last.OldObject().(*corev1.Pod); old.Labels["more"] != "" || old.UID != last.UID() {
			t.Errorf("the old one is %+v", old)
		}
		if m, err := last.Meta(); err != nil || m.GetLabels()["more"] != "yes" || m.GetResourceVersion() != last.ResourceVersion() {
			t.Errorf("the metadata is %+v, %v", m, err)
		}
		if n := kept(); n == 0 {
			t.Error("what was asked for was not decoded")
		}
		mustNot(t, c.server.Delete(t.Context(), storagePod("db-1", ""), metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
		synctest.Wait()
		if gone, ok := last.Object().(*corev1.Pod); !ok || gone.Name != "db-1" || last.Type != watch.Deleted || last.OldObject() != nil {
			t.Errorf("%s: %+v", last.Type, last.Object())
		}
		slices.Sort(events)
		want := []string{
			"ADDED default/db-1 true", "ADDED default/web-1 true", "ADDED default/web-2 true",
			"DELETED default/db-1 false", "MODIFIED default/db-1 false", "MODIFIED default/web-1 false",
		}
		if !slices.Equal(events, want) {
			t.Errorf("got %v, want %v", events, want)
		}
	})
}

// TestALazyHandlerElsewhere sees that a lazy handler works with an informer that has never heard of them.
func TestALazyHandlerElsewhere(t *testing.T) {
	var got []string
	h := LazyEventHandlerFunc(func(e LazyEvent) {
		_, hasOld := e.OldObject().(*corev1.Pod)
		got = append(got, fmt.Sprintf("%s %s %v %v %T", e.Type, e.Key, e.Initial, hasOld, e.Object()))
	})
	pod := storagePod("a", "")
	h.OnAdd(pod, true)
	h.OnUpdate(pod, pod)
	h.OnDelete(DeletedFinalStateUnknown{"default/a", pod})
	want := []string{
		"ADDED default/a true false *v1.Pod", "MODIFIED default/a false true *v1.Pod",
		"DELETED default/a false false cache.DeletedFinalStateUnknown",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestKeptFields(t *testing.T) {
	for _, way := range []Storage{
		{Keep: []string{"metadata.labels", "spec.containers.image"}},
		{Packed: true, Keep: []string{"metadata.labels", "spec.containers.image"}},
	} {
		var heard *corev1.Pod
		handler := ResourceEventHandlerFuncs{UpdateFunc: func(_, obj any) { heard = obj.(*corev1.Pod) }}
		withStorage(t, SharedIndexInformerOptions{Storage: way}, []ResourceEventHandler{handler}, func(t *testing.T, c *storageCase) {
			pod := c.onServer("web-1")
			pod.Labels["more"] = "yes"
			_, err := c.server.Update(t.Context(), pod)
			mustNot(t, err)
			synctest.Wait()
			full := c.onServer("web-1")
			want := &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{
					Namespace: "default", Name: "web-1", UID: full.UID, ResourceVersion: full.ResourceVersion, Generation: full.Generation, Labels: full.Labels,
				},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{Image: "i"}}},
			}
			if got := c.get("default/web-1"); !reflect.DeepEqual(got, want) {
				t.Errorf("%+v: got %+v, want %+v", way, got, want)
			}
			if !reflect.DeepEqual(heard, want) {
				t.Errorf("%+v: a handler heard of %+v, want %+v", way, heard, want)
			}
		})
	}
}

func TestDroppedFields(t *testing.T) {
	for _, way := range []Storage{{Drop: []string{DropManagedFields}}, {Packed: true, Drop: []string{DropManagedFields}}} {
		withStorage(t, SharedIndexInformerOptions{Storage: way}, nil, func(t *testing.T, c *storageCase) {
			want := c.onServer("web-1")
			if want.ManagedFields == nil {
				t.Fatal("there is nothing to drop")
			}
			want.ManagedFields = nil
			if got := c.get("default/web-1"); !reflect.DeepEqual(got, want) {
				t.Errorf("%+v: got %+v, want %+v", way, got, want)
			}
		})
	}
}

// TestAPackedTransform has a transform that forgets who the objects are, which no other transform does.
func TestAPackedTransform(t *testing.T) {
	calls := 0
	handler := ResourceEventHandlerFuncs{AddFunc: func(any) { calls++ }, UpdateFunc: func(_, _ any) { calls++ }}
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		_, err := server.Create(t.Context(), storagePod("web-1", "node-1"))
		mustNot(t, err)
		client, err := typed.NewForConfig(server.RESTConfig())
		mustNot(t, err)
		c := &storageCase{t: t, server: server}
		c.SharedIndexInformer = NewSharedIndexInformerWithOptions(NewListWatchFromClient(client.RESTClient(), "pods", "", nil), &corev1.Pod{}, packedOptions)
		mustNot(t, c.SetTransform(func(obj any) (any, error) {
			pod := obj.(*corev1.Pod)
			return &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}, Spec: corev1.PodSpec{NodeName: pod.Spec.NodeName},
			}, nil
		}))
		_, err = c.AddEventHandler(handler)
		mustNot(t, err)
		c.run()
		got := c.get("default/web-1")
		if got.Spec.NodeName != "node-1" || got.UID != "" || got.Spec.Containers != nil {
			t.Errorf("got %+v", got)
		}
		server.Compact()
		server.CutConnections()
		synctest.Wait()
		if calls != 1 {
			t.Errorf("the handler was called %d times for one object that has not changed", calls)
		}
	})
}

// TestPackedUnstructured has custom resources and the like, which come in JSON.
func TestPackedUnstructured(t *testing.T) {
	for _, way := range []Storage{{Packed: true}, {Packed: true, Drop: []string{DropManagedFields}}, {Packed: true, Keep: []string{"spec.nodeName"}}} {
		synctest.Test(t, func(t *testing.T) {
			server := apitest.New(t, apitest.Config{InMemory: true})
			_, err := server.Create(t.Context(), storagePod("web-1", "node-1"))
			mustNot(t, err)
			client, err := dynamic.NewForConfig(server.RESTConfig())
			mustNot(t, err)
			pods := client.Resource(corev1.SchemeGroupVersion.WithResource("pods"))
			c := &storageCase{t: t, server: server}
			lw := NewListWatchFromRequester(pods.(Requester), func() metav1.Object { return &unstructured.Unstructured{} }, nil)
			c.SharedIndexInformer = NewSharedIndexInformerWithOptions(lw, &unstructured.Unstructured{}, SharedIndexInformerOptions{Storage: way})
			c.run()
			obj, ok, err := c.GetStore().GetByKey("default/web-1")
			if !ok || err != nil {
				t.Fatal(ok, err)
			}
			want, err := pods.Namespace("default").Get(t.Context(), "web-1", metav1.GetOptions{})
			mustNot(t, err)
			switch {
			case way.Drop != nil:
				want.SetManagedFields(nil)
			case way.Keep != nil:
				want = &unstructured.Unstructured{Object: map[string]any{
					"apiVersion": "v1", "kind": "Pod", "spec": map[string]any{"nodeName": "node-1"},
					"metadata": map[string]any{
						"namespace": "default", "name": "web-1", "uid": string(want.GetUID()), "resourceVersion": want.GetResourceVersion(),
						"generation": want.GetGeneration(),
					},
				}}
			}
			if !reflect.DeepEqual(obj, want) {
				t.Errorf("%+v: got %v, want %v", way, obj, want)
			}
		})
	}
}

func TestBadStorage(t *testing.T) {
	for _, test := range []struct {
		way     Storage
		example runtime.Object
		want    string
	}{
		{Storage{Packed: true}, nil, "needs to know the type"},
		{Storage{Keep: []string{"spec"}, Drop: []string{"status"}}, &corev1.Pod{}, "cannot be combined"},
		{Storage{Keep: []string{"spec.nodename"}}, &corev1.Pod{}, "spec.nodeName"},
		{Storage{Drop: []string{""}}, &corev1.Pod{}, "empty"},
		{Storage{Shared: true, Packed: true}, &corev1.Pod{}, "cannot be combined"},
	} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, test.want) {
					t.Errorf("%+v: got %q, want %q in it", test.way, said, test.want)
				}
			}()
			NewSharedIndexInformerWithOptions(&ListWatch{}, test.example, SharedIndexInformerOptions{Storage: test.way})
		}()
	}
}

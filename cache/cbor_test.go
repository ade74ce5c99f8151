package cache

import (
	"fmt"
	"net/http"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest"
	"vedette.dev/dynamic"
	"vedette.dev/gentype"
	"vedette.dev/metadata"
	"vedette.dev/rest"
)

// gadget is a kind without generated code.
type gadget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              gadgetSpec `json:"spec"`
}

type gadgetSpec struct {
	Size  int64             `json:"size"`
	Data  []byte            `json:"data,omitempty"`
	Parts map[string]string `json:"parts,omitempty"`
}

func (g *gadget) DeepCopyObject() runtime.Object {
	out := *g
	g.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// contentTypes counts the responses to lists and watches by their types.
type contentTypes struct {
	mu    sync.Mutex
	count map[string]int
}

func (c *contentTypes) wrap(rt http.RoundTripper) http.RoundTripper {
	return roundTripFunc(func(r *http.Request) (*http.Response, error) {
		resp, err := rt.RoundTrip(r)
		if err == nil && r.Method == http.MethodGet {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.count[resp.Header.Get("Content-Type")]++
		}
		return resp, err
	})
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

var gadgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "gadgets"}

func newGadget(name string, size int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Gadget",
		"metadata": map[string]any{"name": name, "namespace": "default", "labels": map[string]any{"app": "x"}, "annotations": map[string]any{"note": name}},
		"spec":     map[string]any{"size": size, "data": "AAEC", "parts": map[string]any{"a": "1", "b": "é"}},
	}}
}

// TestInCBOR runs informers of unstructured and typed objects and of metadata in each storage, on lists and watches in
// CBOR, and compares what they have with what a client in JSON reads.
func TestInCBOR(t *testing.T) {
	partial := func() *metav1.PartialObjectMetadata {
		return &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "Gadget"}}
	}
	for form, example := range map[string]runtime.Object{"unstructured": &unstructured.Unstructured{}, "typed": &gadget{}, "metadata": partial()} {
		for name, storage := range map[string]Storage{
			"live": {}, "shared": {Shared: true}, "packed": {Packed: true}, "dropped": {Drop: []string{DropManagedFields}},
			"kept": {Keep: []string{"metadata.labels"}}, "packed and kept": {Packed: true, Keep: []string{"metadata.labels"}},
		} {
			for _, streaming := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/%s/streaming=%v", form, name, streaming), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						server := apitest.New(t, apitest.Config{
							InMemory: true, CBOR: true, CreateNamespaces: true,
							Kinds: []apitest.Kind{{GroupVersionKind: gadgets.GroupVersion().WithKind("Gadget"), Namespaced: true}},
						})
						plain, err := dynamic.NewForConfig(server.RESTConfig())
						mustNot(t, err)
						objects := plain.Resource(gadgets).Namespace("default")
						for i := range 5 {
							_, err := objects.Create(t.Context(), newGadget(fmt.Sprint("g-", i), int64(i)), metav1.CreateOptions{FieldManager: "test"})
							mustNot(t, err)
						}
						seen := &contentTypes{count: map[string]int{}}
						config := server.RESTConfig()
						config.PreferCBOR = true
						var requester Requester
						switch form {
						case "unstructured":
							config.Wrap(seen.wrap)
							client, err := dynamic.NewForConfig(config)
							mustNot(t, err)
							requester = client.Resource(gadgets).(Requester)
						case "typed":
							config.Wrap(seen.wrap)
							client, err := gentype.NewForConfig[gadget](config, gentype.Resource{Group: "example.com", Version: "v1", Kind: "Gadget", Plural: "gadgets"})
							mustNot(t, err)
							requester = client
						case "metadata":
							// The client prefers protobuf, which this server and the real one have for the metadata of all kinds.
							config.Wrap(seen.wrap)
							client, err := metadata.NewForConfig(config)
							mustNot(t, err)
							requester = cborMetadata{client.Resource(gadgets).(Requester)}
						}
						newObject := func() metav1.Object { return example.DeepCopyObject().(metav1.Object) }
						var lw ListerWatcher = NewListWatchFromRequester(requester, newObject, nil)
						if !streaming {
							lw = ToListWatcherWithWatchListSemantics(NewListWatchFromRequester(requester, newObject, nil), withoutWatchList{})
						}
						c := &storageCase{t: t, server: server}
						c.SharedIndexInformer = NewSharedIndexInformerWithOptions(lw, example, SharedIndexInformerOptions{
							Storage: storage, Indexers: Indexers{"app": IndexByMeta(func(m metav1.Object) ([]string, error) { return []string{m.GetLabels()["app"]}, nil })},
						})
						var mu sync.Mutex
						heard := map[string]int{}
						_, err = c.AddEventHandler(LazyEventHandlerFunc(func(e LazyEvent) {
							m, ok := e.Object().(metav1.Object)
							mu.Lock()
							defer mu.Unlock()
							if ok && m.GetLabels()["app"] == "x" {
								heard[e.Key+" "+string(e.Type)]++
							}
						}))
						mustNot(t, err)
						c.run()
						check := func() {
							t.Helper()
							list, err := objects.List(t.Context(), metav1.ListOptions{})
							mustNot(t, err)
							wantEqual(t, "objects", len(c.GetStore().ListKeys()), len(list.Items))
							byApp, err := c.GetIndexer().ByIndex("app", "x")
							mustNot(t, err)
							wantEqual(t, "indexed", len(byApp), len(list.Items))
							for i := range list.Items {
								got, ok, err := c.GetStore().GetByKey("default/" + list.Items[i].GetName())
								mustNot(t, err)
								want := wantedGadget(t, &list.Items[i], example, storage)
								if !ok || !reflect.DeepEqual(got, want) {
									t.Errorf("got %#v, want %#v", got, want)
								}
							}
						}
						check()
						changed, err := objects.Get(t.Context(), "g-1", metav1.GetOptions{})
						mustNot(t, err)
						mustNot(t, unstructured.SetNestedField(changed.Object, int64(100), "spec", "size"))
						_, err = objects.Update(t.Context(), changed, metav1.UpdateOptions{})
						mustNot(t, err)
						mustNot(t, objects.Delete(t.Context(), "g-2", metav1.DeleteOptions{}))
						_, err = objects.Create(t.Context(), newGadget("g-9", 9), metav1.CreateOptions{})
						mustNot(t, err)
						synctest.Wait()
						check()
						if heard["default/g-1 ADDED"] != 1 || heard["default/g-1 MODIFIED"] != 1 || heard["default/g-2 DELETED"] != 1 || heard["default/g-9 ADDED"] != 1 {
							t.Errorf("the handler heard of %v", heard)
						}
						for contentType := range seen.count {
							if contentType != inCBOR && contentType != "application/cbor-seq" {
								t.Errorf("on the wire was %v", seen.count)
							}
						}
						if seen.count["application/cbor-seq"] == 0 || !streaming && seen.count[inCBOR] == 0 {
							t.Errorf("on the wire was %v", seen.count)
						}
					})
				})
			}
		}
	}
}

// cborMetadata asks for metadata in CBOR alone.
type cborMetadata struct{ Requester }

func (c cborMetadata) ListRequest(opts metav1.ListOptions) *rest.Request {
	return c.Requester.ListRequest(opts).SetHeader("Accept", "application/cbor;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
}

func (c cborMetadata) WatchRequest(opts metav1.ListOptions) *rest.Request {
	return c.Requester.WatchRequest(opts).SetHeader("Accept", "application/cbor;as=PartialObjectMetadata;g=meta.k8s.io;v=v1")
}

// withoutWatchList is a client whose reflectors list.
type withoutWatchList struct{}

func (withoutWatchList) IsWatchListSemanticsUnSupported() bool { return true }

// wantedGadget is what an informer has of an object.
func wantedGadget(t *testing.T, u *unstructured.Unstructured, example runtime.Object, storage Storage) any {
	t.Helper()
	u = u.DeepCopy()
	if storage.Drop != nil {
		u.SetManagedFields(nil)
	}
	if storage.Keep != nil {
		m := map[string]any{}
		for _, name := range []string{"name", "namespace", "uid", "resourceVersion", "generation", "labels"} {
			if v, ok := u.Object["metadata"].(map[string]any)[name]; ok {
				m[name] = v
			}
		}
		u.Object = map[string]any{"apiVersion": u.GetAPIVersion(), "kind": u.GetKind(), "metadata": m}
	}
	switch example.(type) {
	case *gadget:
		g := &gadget{}
		mustNot(t, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, g))
		g.TypeMeta = metav1.TypeMeta{}
		return g
	case *metav1.PartialObjectMetadata:
		m := &metav1.PartialObjectMetadata{}
		mustNot(t, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, m))
		return m
	}
	return u
}

// TestViewOfCBOR shows the packed objects of an informer on CBOR in another form.
func TestViewOfCBOR(t *testing.T) {
	withStorageIn(t, inCBOR, SharedIndexInformerOptions{Storage: Storage{Packed: true}}, nil, func(t *testing.T, c *storageCase) {
		as := &unstructured.Unstructured{}
		as.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
		view, err := NewInformerView(c, as)
		mustNot(t, err)
		obj, ok, err := view.GetStore().GetByKey("default/web-1")
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		if node, _, _ := unstructured.NestedString(obj.(*unstructured.Unstructured).Object, "spec", "nodeName"); node != "node-0" {
			t.Errorf("%v", obj)
		}
	})
}

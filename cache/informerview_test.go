package cache

import (
	"reflect"
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

	"vedette.dev/dynamic"
	"vedette.dev/metadata"
)

func unstructuredPod() *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	return u
}

func podMetadata() *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
}

func TestInformerViews(t *testing.T) {
	for _, way := range []Storage{{}, {Packed: true}, {Drop: []string{DropManagedFields}}} {
		withStorage(t, SharedIndexInformerOptions{Storage: way}, nil, func(t *testing.T, c *storageCase) {
			generic, err := NewInformerView(c, unstructuredPod())
			mustNot(t, err)
			meta, err := NewInformerView(c, podMetadata())
			mustNot(t, err)
			mustNot(t, generic.AddIndexers(Indexers{"image": func(obj any) ([]string, error) {
				containers, _, err := unstructured.NestedSlice(obj.(*unstructured.Unstructured).Object, "spec", "containers")
				if err != nil || len(containers) == 0 {
					return nil, err
				}
				return []string{containers[0].(map[string]any)["image"].(string)}, nil
			}}))
			var mu sync.Mutex
			heard := map[string][]any{}
			hear := func(name string, obj any) {
				mu.Lock()
				defer mu.Unlock()
				heard[name] = append(heard[name], obj)
			}
			for name, view := range map[string]SharedIndexInformer{"generic": generic, "meta": meta} {
				_, err := view.AddEventHandler(ResourceEventHandlerFuncs{
					AddFunc:    func(obj any) { hear(name, obj) },
					UpdateFunc: func(_, obj any) { hear(name, obj) },
					DeleteFunc: func(obj any) { hear(name, obj) },
				})
				mustNot(t, err)
			}
			pod := c.onServer("web-1")
			pod.Labels["more"] = "yes"
			_, err = c.server.Update(t.Context(), pod)
			mustNot(t, err)
			synctest.Wait()

			u, m := c.elsewhere("web-1")
			if way.Drop != nil {
				u.SetManagedFields(nil)
				m.ManagedFields = nil
			}
			check := func(what string, got, want any) {
				t.Helper()
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%+v: %s: got %v, want %v", way, what, got, want)
				}
			}
			got, ok, err := generic.GetStore().GetByKey("default/web-1")
			check("generic", got, withoutEmpty(u))
			check("found", []any{ok, err}, []any{true, nil})
			got, _, _ = meta.GetStore().GetByKey("default/web-1")
			check("metadata", got, m)
			check("the last word to generic", heard["generic"][3], withoutEmpty(u))
			check("the last word to metadata", heard["meta"][3], m)
			list, err := NewGenericLister(generic.GetIndexer(), corev1.Resource("pods")).List(labels.SelectorFromSet(labels.Set{"more": "yes"}))
			check("a list", []any{list, err}, []any{[]runtime.Object{withoutEmpty(u)}, nil})
			byImage, err := generic.GetIndexer().ByIndex("image", "i")
			check("an index", []any{len(byImage), err}, []any{3, nil})
			check("watches", StateOf(generic).Watches, StateOf(c).Watches)
			if err := generic.SetTransform(nil); err == nil {
				t.Error("a view took a transform")
			}
		})
	}
}

// elsewhere is an object as the clients for other forms read it.
func (c *storageCase) elsewhere(name string) (*unstructured.Unstructured, *metav1.PartialObjectMetadata) {
	c.t.Helper()
	pods := corev1.SchemeGroupVersion.WithResource("pods")
	d, err := dynamic.NewForConfig(c.server.RESTConfig())
	mustNot(c.t, err)
	u, err := d.Resource(pods).Namespace("default").Get(c.t.Context(), name, metav1.GetOptions{})
	mustNot(c.t, err)
	p, err := metadata.NewForConfig(c.server.RESTConfig())
	mustNot(c.t, err)
	m, err := p.Resource(pods).Namespace("default").Get(c.t.Context(), name, metav1.GetOptions{})
	mustNot(c.t, err)
	m.TypeMeta = podMetadata().TypeMeta
	return u, m
}

// withoutEmpty is an unstructured object as it comes of a typed one, by way of which empty parts may come and go.
func withoutEmpty(u *unstructured.Unstructured) *unstructured.Unstructured {
	pod := &corev1.Pod{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, pod); err != nil {
		panic(err)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(pod)
	if err != nil {
		panic(err)
	}
	return &unstructured.Unstructured{Object: content}
}

// TestAViewOfLazyHandlers has a handler of metadata, for which the objects are never decoded.
func TestAViewOfLazyHandlers(t *testing.T) {
	withStorage(t, SharedIndexInformerOptions{Storage: Storage{Packed: true}}, nil, func(t *testing.T, c *storageCase) {
		view, err := NewInformerView(c, podMetadata())
		mustNot(t, err)
		seen := map[string]bool{}
		_, err = view.AddEventHandler(LazyEventHandlerFunc(func(e LazyEvent) {
			_, ok := e.Object().(*metav1.PartialObjectMetadata)
			seen[string(e.Type)+" "+e.Key] = ok
		}))
		mustNot(t, err)
		mustNot(t, c.server.Delete(t.Context(), storagePod("db-1", ""), metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
		synctest.Wait()
		for _, what := range []string{string(watch.Added) + " default/web-1", string(watch.Deleted) + " default/db-1"} {
			if !seen[what] {
				t.Errorf("%s was not heard of as metadata: %v", what, seen)
			}
		}
		if n := c.SharedIndexInformer.(*informer).engine.Codec().Decoded(); n > 0 {
			t.Fatalf("%d objects were decoded", n)
		}
	})
}

// TestTypedViews shows unstructured objects as typed ones.
func TestTypedViews(t *testing.T) {
	withStorage(t, SharedIndexInformerOptions{}, nil, func(t *testing.T, c *storageCase) {
		d, err := dynamic.NewForConfig(c.server.RESTConfig())
		mustNot(t, err)
		pods := d.Resource(corev1.SchemeGroupVersion.WithResource("pods"))
		for _, way := range []Storage{{}, {Packed: true}} {
			other := &storageCase{t: t, server: c.server}
			lw := NewListWatchFromRequester(pods.(Requester), func() metav1.Object { return &unstructured.Unstructured{} }, nil)
			other.SharedIndexInformer = NewSharedIndexInformerWithOptions(lw, &unstructured.Unstructured{}, SharedIndexInformerOptions{Storage: way})
			other.run()
			view, err := NewInformerView(other, &corev1.Pod{})
			mustNot(t, err)
			got, _, err := view.GetStore().GetByKey("default/web-1")
			mustNot(t, err)
			pod, ok := got.(*corev1.Pod)
			if want := c.onServer("web-1"); !ok || pod.UID != want.UID || !reflect.DeepEqual(pod.Spec, want.Spec) {
				t.Errorf("%+v: got %v, want %v", way, got, want)
			}
		}
	})
}

func TestBadViews(t *testing.T) {
	i := NewSharedIndexInformerWithOptions(&ListWatch{}, &corev1.Pod{}, SharedIndexInformerOptions{})
	for _, test := range []struct {
		as   runtime.Object
		want string
	}{
		{&unstructured.Unstructured{}, "has no kind"},
		{&metav1.PartialObjectMetadata{}, "has no kind"},
	} {
		if _, err := NewInformerView(i, test.as); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%T: got %v, want %q", test.as, err, test.want)
		}
	}
}

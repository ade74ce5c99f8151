package e2e

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/cache"
	"vedette.dev/dynamic"
	"vedette.dev/gentype"
	"vedette.dev/metadata"
	"vedette.dev/rest"
	"vedette.dev/testenv"
)

// TestCBOR prefers CBOR on a server with the feature gate, and does the same on one without it, where clients fall back to
// JSON. The types of what was sent and received are counted.
func TestCBOR(t *testing.T) {
	t.Run("served", func(t *testing.T) {
		env := testenv.New(t, testenv.Config{FeatureGates: map[string]bool{"CBORServingAndStorage": true}})
		config := env.RESTConfig()
		config.PreferCBOR = true
		w := newWireTypes(config)
		testCBOR(t, config, w)
		w.expect(t, "sent", []string{"application/cbor", "application/apply-patch+cbor", "application/merge-patch+json"}, []string{"application/json", "application/apply-patch+yaml"})
		w.expect(t, "got", []string{"application/cbor", "application/cbor-seq"}, []string{"application/json"})
	})
	t.Run("not served", func(t *testing.T) {
		config := adminConfig(t)
		config.PreferCBOR = true
		w := newWireTypes(config)
		testCBOR(t, config, w)
		w.expect(t, "sent", []string{"application/cbor", "application/json", "application/apply-patch+yaml"}, nil)
		w.expect(t, "got", []string{"application/json"}, []string{"application/cbor", "application/cbor-seq"})
		if n := w.count["sent application/cbor"]; n > 2 { // one for each client that sends objects
			t.Errorf("%d bodies in CBOR were sent to a server that does not know it", n)
		}
	})
}

// wireTypes counts what is on the wire by its type.
type wireTypes struct {
	mu    sync.Mutex
	count map[string]int
}

func newWireTypes(config *rest.Config) *wireTypes {
	w := &wireTypes{count: map[string]int{}}
	config.Wrap(func(rt http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			resp, err := rt.RoundTrip(r)
			w.mu.Lock()
			defer w.mu.Unlock()
			if r.Body != nil && r.Body != http.NoBody {
				w.count["sent "+r.Header.Get("Content-Type")]++
			}
			if err == nil {
				w.count["got "+resp.Header.Get("Content-Type")]++
			}
			return resp, err
		})
	})
	return w
}

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (w *wireTypes) expect(t *testing.T, way string, some, none []string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, contentType := range some {
		if w.count[way+" "+contentType] == 0 {
			t.Errorf("%s no %s: %v", way, contentType, w.count)
		}
	}
	for _, contentType := range none {
		if w.count[way+" "+contentType] != 0 {
			t.Errorf("%s %s: %v", way, contentType, w.count)
		}
	}
	t.Logf("%s: %v", way, w.count)
}

var sprockets = schema.GroupVersionResource{Group: "cbor.example.com", Version: "v1", Resource: "sprockets"}

type sprocket struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              sprocketSpec `json:"spec"`
}

type sprocketSpec struct {
	Teeth int64    `json:"teeth"`
	Ratio float64  `json:"ratio,omitempty"`
	Oil   []byte   `json:"oil,omitempty"`
	Names []string `json:"names,omitempty"`
}

func (s *sprocket) DeepCopyObject() runtime.Object {
	out := *s
	s.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

func sprocketCRD() *unstructured.Unstructured {
	anything := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "sprockets.cbor.example.com"},
		"spec": map[string]any{
			"group": "cbor.example.com", "scope": "Namespaced",
			"names": map[string]any{"plural": "sprockets", "singular": "sprocket", "kind": "Sprocket", "listKind": "SprocketList"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{"spec": anything}}},
			}},
		},
	}}
}

func newSprocket(name string, teeth int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "cbor.example.com/v1", "kind": "Sprocket", "metadata": map[string]any{"name": name, "labels": map[string]any{"app": "x"}},
		"spec": map[string]any{"teeth": teeth, "ratio": 1.5, "oil": "AAEC", "names": []any{"é", "<&>"}},
	}}
}

func testCBOR(t *testing.T, config *rest.Config, w *wireTypes) {
	ctx := within(t, 2*time.Minute)
	client, err := dynamic.NewForConfig(closing(t, config))
	if err != nil {
		t.Fatal(err)
	}
	ns := "cbor-" + strings.ToLower(strings.ReplaceAll(fmt.Sprint(time.Now().UnixNano()), "-", ""))
	namespace := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": ns}}}
	if _, err := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Resource(crds).Create(ctx, sprocketCRD(), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.Resource(crds).Delete(context.WithoutCancel(ctx), "sprockets.cbor.example.com", metav1.DeleteOptions{})
	})
	all := client.Resource(sprockets).Namespace(ns)
	created := (*unstructured.Unstructured)(nil)
	for created == nil { // the kind is served a little later
		if created, err = all.Create(ctx, newSprocket("a", 1), metav1.CreateOptions{}); apierrors.IsNotFound(err) {
			created = nil
			time.Sleep(50 * time.Millisecond)
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if !equality.Semantic.DeepEqual(created.Object["spec"], newSprocket("a", 1).Object["spec"]) || created.GetUID() == "" {
		t.Errorf("created %v", created)
	}

	// Informers: unstructured, typed and of metadata, in storages that treat bytes differently.
	meta, err := metadata.NewForConfig(closing(t, config))
	if err != nil {
		t.Fatal(err)
	}
	typed, err := gentype.NewForConfig[sprocket](closing(t, config), gentype.Resource{Group: "cbor.example.com", Version: "v1", Kind: "Sprocket", Plural: "sprockets"})
	if err != nil {
		t.Fatal(err)
	}
	informers := map[string]cache.SharedIndexInformer{}
	start := func(name string, requester cache.Requester, example interface {
		runtime.Object
		metav1.Object
	}, storage cache.Storage) {
		lw := cache.NewListWatchFromRequester(requester, func() metav1.Object { return example.DeepCopyObject().(metav1.Object) }, nil)
		informer := cache.NewSharedIndexInformerWithOptions(lw, example, cache.SharedIndexInformerOptions{Storage: storage})
		informers[name] = informer
		ended := make(chan struct{})
		go func() { defer close(ended); informer.RunWithContext(ctx) }()
		t.Cleanup(func() { <-ended })
	}
	metaOnly := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "cbor.example.com/v1", Kind: "Sprocket"}}
	for name, storage := range map[string]cache.Storage{"live": {}, "shared": {Shared: true}, "packed": {Packed: true}, "kept": {Packed: true, Keep: []string{"metadata.labels"}}, "dropped": {Drop: []string{cache.DropManagedFields}}} {
		start("unstructured "+name, all.(cache.Requester), &unstructured.Unstructured{}, storage)
		start("typed "+name, typed.In(ns), &sprocket{}, storage)
		start("metadata "+name, meta.Resource(sprockets).Namespace(ns).(cache.Requester), metaOnly.DeepCopy(), storage)
	}
	settled := func() {
		t.Helper()
		list, err := all.List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for _, item := range list.Items {
			want[ns+"/"+item.GetName()] = item.GetResourceVersion()
		}
		for name, informer := range informers {
			for problem := "not synced"; problem != ""; {
				problem = ""
				if keys := informer.GetStore().ListKeys(); len(keys) != len(want) {
					problem = fmt.Sprintf("has %v, want %v", keys, want)
				}
				for key, version := range want {
					obj, ok, err := informer.GetStore().GetByKey(key)
					if !ok || err != nil || obj.(metav1.Object).GetResourceVersion() != version {
						problem = fmt.Sprintf("%s: %v, %v, want version %s", key, obj, err, version)
					}
					if u, isFull := obj.(*unstructured.Unstructured); isFull && !strings.Contains(name, "kept") && problem == "" {
						i := slices.IndexFunc(list.Items, func(o unstructured.Unstructured) bool { return o.GetName() == u.GetName() })
						if !equality.Semantic.DeepEqual(u.Object["spec"], list.Items[i].Object["spec"]) {
							problem = fmt.Sprintf("%v, want %v", u, list.Items[i])
						}
					}
					if s, isTyped := obj.(*sprocket); isTyped && !strings.Contains(name, "kept") && problem == "" && (string(s.Spec.Oil) != "\x00\x01\x02" || s.Spec.Ratio != 1.5) && s.Name == "b" {
						problem = fmt.Sprintf("%+v", s)
					}
				}
				if problem != "" {
					select {
					case <-ctx.Done():
						t.Fatalf("%s: %s", name, problem)
					case <-time.After(20 * time.Millisecond):
					}
				}
			}
		}
	}
	settled()

	events, err := all.Watch(ctx, metav1.ListOptions{ResourceVersion: created.GetResourceVersion()})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	if _, err := all.Create(ctx, newSprocket("b", 2), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	created.Object["spec"].(map[string]any)["teeth"] = int64(10)
	if _, err := all.Update(ctx, created, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	applied := newSprocket("c", 3)
	if applied, err = all.Apply(ctx, "c", applied, metav1.ApplyOptions{FieldManager: "e2e"}); err != nil || applied.GetUID() == "" {
		t.Fatal(applied, err)
	}
	if _, err := all.Patch(ctx, "c", types.MergePatchType, []byte(`{"spec":{"teeth":4}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	got, err := typed.In(ns).Get(ctx, "c", metav1.GetOptions{})
	if err != nil || got.Spec.Teeth != 4 || string(got.Spec.Oil) != "\x00\x01\x02" || got.Spec.Names[1] != "<&>" {
		t.Errorf("%+v, %v", got, err)
	}
	got.Spec.Teeth = 5
	if got, err = typed.In(ns).Update(ctx, got, metav1.UpdateOptions{}); err != nil || got.Spec.Teeth != 5 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := typed.In(ns).Apply(ctx, &sprocket{ObjectMeta: metav1.ObjectMeta{Name: "d"}, Spec: sprocketSpec{Teeth: 7}}, metav1.ApplyOptions{FieldManager: "typed"}); err != nil {
		t.Error(err)
	}
	if err := all.Delete(ctx, "a", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	var heard []string
	for len(heard) < 7 {
		select {
		case e := <-events.ResultChan():
			if e.Type != watch.Bookmark {
				heard = append(heard, string(e.Type)+" "+e.Object.(*unstructured.Unstructured).GetName())
			}
		case <-ctx.Done():
			t.Fatalf("only %v", heard)
		}
	}
	if want := []string{"ADDED b", "MODIFIED a", "ADDED c", "MODIFIED c", "MODIFIED c", "ADDED d", "DELETED a"}; !slices.Equal(heard, want) {
		t.Errorf("heard %v, want %v", heard, want)
	}
	settled()
	if _, err := all.Get(ctx, "none", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("%v", err)
	}

	// The metadata client asks for protobuf first. This asks for CBOR first.
	metas, err := meta.Resource(sprockets).Namespace(ns).(cache.Requester).ListRequest(metav1.ListOptions{}).
		SetHeader("Accept", "application/cbor;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1;q=0.5").Items(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer metas.Close()
	names := []string{}
	for raw, err := range metas.All() {
		var m metav1.PartialObjectMetadata
		if err == nil {
			err = raw.Into(&m)
		}
		if err != nil || m.Labels["app"] == "" && m.Name != "d" {
			t.Errorf("%+v, %v", m, err)
		}
		names = append(names, m.Name)
	}
	if !slices.Equal(names, []string{"b", "c", "d"}) {
		t.Errorf("the metadata of %v", names)
	}

	// A built-in kind without its Go type, whose items do not say what they are.
	maps := client.Resource(configMaps).Namespace(ns)
	if _, err := maps.Create(ctx, configMap("m", map[string]any{"x": "1"}), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		items, err := maps.(dynamic.Requester).ListRequest(metav1.ListOptions{}).Items(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for raw, err := range items.All() {
			if err != nil || raw.Kind != "ConfigMap" || raw.APIVersion != "v1" {
				t.Errorf("%+v, %v", raw, err)
			}
		}
		_ = items.Close()
	}
}

package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/discovery"
	"vedette.dev/discovery/cached/memory"
	"vedette.dev/dynamic"
	"vedette.dev/gentype"
	"vedette.dev/kubernetes/scheme"
	"vedette.dev/metadata"
	"vedette.dev/restmapper"
)

var (
	configMaps = corev1.SchemeGroupVersion.WithResource("configmaps")
	crds       = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
)

func newDynamic(t testing.TB) *dynamic.DynamicClient {
	t.Helper()
	client, err := dynamic.NewForConfig(closing(t, dynamic.ConfigFor(adminConfig(t))))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func configMap(name string, data map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name}, "data": data,
	}}
}

func TestDynamic(t *testing.T) {
	ctx := within(t, time.Minute)
	ns := newNamespace(t, newClientset(t))
	client := newDynamic(t).Resource(configMaps).Namespace(ns)
	w, err := client.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	got, err := client.Create(ctx, configMap("a", map[string]any{"x": "1"}), metav1.CreateOptions{})
	if err != nil || got.GetUID() == "" {
		t.Fatal(err)
	}
	if event := <-w.ResultChan(); event.Type != watch.Added || event.Object.(*unstructured.Unstructured).GetName() != "a" {
		t.Errorf("%+v", event)
	}
	_ = unstructured.SetNestedField(got.Object, "2", "data", "x")
	if _, err := client.Update(ctx, got, metav1.UpdateOptions{}); err != nil {
		t.Error(err)
	}
	if got, err = client.Apply(ctx, "a", configMap("a", map[string]any{"y": "3"}), metav1.ApplyOptions{FieldManager: "e2e"}); err != nil {
		t.Fatal(err)
	}
	if data, _, _ := unstructured.NestedStringMap(got.Object, "data"); data["x"] != "2" || data["y"] != "3" {
		t.Errorf("%v", data)
	}
	list, err := client.List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) == 0 || list.GetResourceVersion() == "" || list.Items[0].GetKind() != "ConfigMap" {
		t.Errorf("%d items, %v", len(list.Items), err)
	}
	if err := client.Delete(ctx, "a", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := client.Get(ctx, "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("%v", err)
	}
	_, err = client.Get(ctx, "..", metav1.GetOptions{})
	wantError(t, err, "..")
}

func TestMetadataOnly(t *testing.T) {
	ctx := within(t, time.Minute)
	clientset := newClientset(t)
	ns := newNamespace(t, clientset)
	createPods(t, clientset, ns, 3)
	client, err := metadata.NewForConfig(closing(t, metadata.ConfigFor(adminConfig(t))))
	if err != nil {
		t.Fatal(err)
	}
	pods := client.Resource(corev1.SchemeGroupVersion.WithResource("pods")).Namespace(ns)
	list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: "odd=0"})
	if err != nil || len(list.Items) != 2 || list.Items[0].Name != "pod-000" || list.ResourceVersion == "" {
		t.Fatalf("%+v, %v", list, err)
	}
	w, err := pods.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	if err := pods.Delete(ctx, "pod-001", *metav1.NewDeleteOptions(0)); err != nil {
		t.Fatal(err)
	}
	if event := <-w.ResultChan(); event.Object.(*metav1.PartialObjectMetadata).Name != "pod-001" {
		t.Errorf("%+v", event)
	}
}

// Both forms of discovery say the same, and all that is said can be listed.
func TestDiscovery(t *testing.T) {
	ctx := t.Context()
	client, err := discovery.NewDiscoveryClientForConfig(closing(t, adminConfig(t)))
	if err != nil {
		t.Fatal(err)
	}
	version, err := client.ServerVersion()
	if err != nil || version.GitVersion != "v1.36.3" {
		t.Errorf("%+v, %v", version, err)
	}
	names := func(d discovery.DiscoveryInterface) (all []string) {
		_, lists, err := d.ServerGroupsAndResources()
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range lists {
			for _, r := range list.APIResources {
				all = append(all, list.GroupVersion+" "+r.Name+" "+r.Kind)
			}
		}
		slices.Sort(all)
		return all
	}
	aggregated, legacy := names(client), names(client.WithLegacy())
	if len(aggregated) < 100 || !slices.Equal(aggregated, legacy) {
		t.Errorf("%d resources in one form, %d in the other", len(aggregated), len(legacy))
	}
	preferred, err := client.ServerPreferredResources()
	if err != nil {
		t.Fatal(err)
	}
	listAll(ctx, t, preferred)
}

// listAll lists every resource that can be, once as unstructured, and by the clientset's types where it has them.
func listAll(ctx context.Context, t *testing.T, lists []*metav1.APIResourceList) {
	t.Helper()
	client := newDynamic(t)
	n := 0
	for _, list := range discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list"}}, lists) {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list.APIResources {
			if _, err := client.Resource(gv.WithResource(r.Name)).List(ctx, metav1.ListOptions{}); err != nil {
				t.Errorf("%s %s: %v", gv, r.Name, err)
			}
			n++
			if !strings.HasSuffix(gv.Group, "apiextensions.k8s.io") && !strings.HasSuffix(gv.Group, "apiregistration.k8s.io") && !strings.Contains(gv.Group, "example.com") && !scheme.Scheme.Recognizes(gv.WithKind(r.Kind)) {
				t.Errorf("the scheme does not know %s %s", gv, r.Kind)
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d resources", n)
	}
}

// Gadget is a kind of a user's, with nothing generated for it.
type Gadget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Size int `json:"size"`
	} `json:"spec"`
	Status struct {
		Ready bool `json:"ready"`
	} `json:"status,omitzero"`
}

func gadgetCRD() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "gadgets.example.com"},
		"spec": map[string]any{
			"group": "example.com", "scope": "Namespaced",
			"names": map[string]any{"kind": "Gadget", "plural": "gadgets", "singular": "gadget", "shortNames": []any{"gdg"}, "categories": []any{"all"}},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true, "subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{
					"spec":   map[string]any{"type": "object", "properties": map[string]any{"size": map[string]any{"type": "integer", "maximum": 10}}},
					"status": map[string]any{"type": "object", "properties": map[string]any{"ready": map[string]any{"type": "boolean"}}},
				}}},
			}},
		},
	}}
}

// A new kind appears on the server: the mapper learns it, and a client of a plain struct uses it.
func TestCustomResource(t *testing.T) {
	ctx := within(t, 2*time.Minute)
	ns := newNamespace(t, newClientset(t))
	disco, err := discovery.NewDiscoveryClientForConfig(closing(t, adminConfig(t)))
	if err != nil {
		t.Fatal(err)
	}
	mapper, err := restmapper.NewLazy(disco, restmapper.LazyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	gk := schema.GroupKind{Group: "example.com", Kind: "Gadget"}
	if _, err := mapper.RESTMappingWithContext(ctx, gk); !meta.IsNoMatchError(err) {
		t.Errorf("before there is one: %v", err)
	}
	if _, err := newDynamic(t).Resource(crds).Create(ctx, gadgetCRD(), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	mapping := awaitMapping(ctx, t, mapper, gk)
	if mapping.Resource.Resource != "gadgets" || mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		t.Errorf("%+v", mapping)
	}
	useGadgets(ctx, t, ns)

	cached := memory.NewMemCacheClient(disco)
	deferred := restmapper.NewDeferredDiscoveryRESTMapper(cached)
	expander := restmapper.NewShortcutExpander(deferred, cached, nil)
	for short, want := range map[string]schema.GroupVersionResource{
		"gdg": mapping.Resource, "deploy": appsv1.SchemeGroupVersion.WithResource("deployments"), "po": corev1.SchemeGroupVersion.WithResource("pods"),
	} {
		if got, err := expander.ResourceFor(schema.GroupVersionResource{Resource: short}); err != nil || got != want {
			t.Errorf("%s: %v, %v", short, got, err)
		}
	}
}

func awaitMapping(ctx context.Context, t *testing.T, mapper *restmapper.Lazy, gk schema.GroupKind) *meta.RESTMapping {
	t.Helper()
	for {
		mapping, err := mapper.RESTMappingWithContext(ctx, gk)
		if err == nil {
			return mapping
		}
		select {
		case <-ctx.Done():
			t.Fatal(err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func useGadgets(ctx context.Context, t *testing.T, ns string) {
	t.Helper()
	client, err := gentype.NewForConfig[Gadget](closing(t, adminConfig(t)), gentype.Resource{Group: "example.com", Version: "v1", Kind: "Gadget", Plural: "gadgets"})
	if err != nil {
		t.Fatal(err)
	}
	gadgets := client.In(ns)
	g := &Gadget{ObjectMeta: metav1.ObjectMeta{Name: "g"}}
	g.Spec.Size = 11
	if _, err := gadgets.Create(ctx, g, metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("too large: %v", err)
	}
	g.Spec.Size = 3
	if g, err = gadgets.Create(ctx, g, metav1.CreateOptions{}); err != nil || g.UID == "" {
		t.Fatal(err)
	}
	g.Status.Ready = true
	if g, err = gadgets.UpdateStatus(ctx, g, metav1.UpdateOptions{}); err != nil || !g.Status.Ready {
		t.Errorf("%+v, %v", g, err)
	}
	applied := &Gadget{ObjectMeta: metav1.ObjectMeta{Name: "g", Labels: map[string]string{"a": "b"}}}
	applied.Spec.Size = 3
	if g, err = gadgets.Apply(ctx, applied, metav1.ApplyOptions{FieldManager: "e2e", Force: true}); err != nil || g.Labels["a"] != "b" || !g.Status.Ready {
		t.Errorf("%+v, %v", g, err)
	}
	list, err := client.List(ctx, metav1.ListOptions{LabelSelector: "a=b"})
	if err != nil || len(list.Items) != 1 || list.Items[0].Spec.Size != 3 || list.ResourceVersion == "" {
		t.Errorf("%+v, %v", list, err)
	}
	if err := gadgets.Delete(ctx, "g", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	for event, err := range gadgets.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion}) {
		if err != nil {
			t.Fatal(err)
		}
		if event.Type == watch.Deleted && event.Object.Name == "g" {
			break
		}
	}
}

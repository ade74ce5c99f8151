package kinds

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/kubernetes/scheme"
)

// Every version that the real server serves and that has Go types is made of them.
func TestKindsHaveTheirTypes(t *testing.T) {
	r := NewRegistry()
	for _, k := range r.All() {
		_, unknown := k.New().(*unstructured.Unstructured)
		if unknown == scheme.Scheme.Recognizes(k.GroupVersionKind) {
			t.Errorf("%s is a %T", k.GroupVersionKind, k.New())
		}
		if unknown && k.Group != "apiextensions.k8s.io" && k.Group != "apiregistration.k8s.io" {
			t.Errorf("%s has no Go type", k.GroupVersionKind)
		}
		if found, ok := r.Lookup(k.Resource()); !ok || found != k {
			t.Errorf("%s is not found", k.Resource())
		}
		if found, ok := r.KindFor(k.GroupVersionKind); !ok || found.GroupVersionKind != k.GroupVersionKind {
			t.Errorf("%s is not found", k.GroupVersionKind)
		}
	}
	if n := len(r.All()); n < 60 {
		t.Errorf("only %d kinds", n)
	}
}

func TestRegistryOfAll(t *testing.T) {
	r := NewRegistryOfAll()
	few, all := len(NewRegistry().All()), len(r.All())
	if all < few+60 {
		t.Errorf("%d of %d", few, all)
	}
	for _, c := range []struct {
		gvr                schema.GroupVersionResource
		storage            string
		namespaced, status bool
	}{
		{schema.GroupVersionResource{Group: "apps", Version: "v1beta1", Resource: "deployments"}, "apps/v1, Kind=Deployment", true, true},
		{schema.GroupVersionResource{Group: "extensions", Version: "v1beta1", Resource: "ingresses"}, "extensions/v1beta1, Kind=Ingress", true, true},
		{schema.GroupVersionResource{Group: "events.k8s.io", Version: "v1beta1", Resource: "events"}, "/v1, Kind=Event", true, false},
		{schema.GroupVersionResource{Group: "certificates.k8s.io", Version: "v1alpha1", Resource: "clustertrustbundles"},
			"certificates.k8s.io/v1, Kind=ClusterTrustBundle", false, false},
	} {
		k, ok := r.Lookup(c.gvr)
		if !ok || k.Namespaced != c.namespaced || k.HasStatus() != c.status || r.Storage(k).GroupVersionKind.String() != c.storage {
			t.Errorf("%v is %+v", c.gvr, k)
		}
	}
	group := ask(t, r, "/apis/apps", "").Body.String()
	if !contains(group, `"preferredVersion":{"groupVersion":"apps/v1","version":"v1"}`) || !contains(group, "apps/v1beta2") {
		t.Error(group)
	}
	sameJSON(t, ask(t, NewRegistry(), "/apis", "").Body.Bytes(), ask(t, newRegistry(builtin()), "/apis", "").Body.Bytes())
}

func TestSubresourcesHaveTheirOwnKinds(t *testing.T) {
	pods, _ := NewRegistry().Lookup(schema.GroupVersionResource{Version: "v1", Resource: "pods"})
	for name, want := range map[string]string{"status": "/v1, Kind=Pod", "eviction": "policy/v1, Kind=Eviction", "exec": "/v1, Kind=PodExecOptions"} {
		if s, ok := pods.Subresource(name); !ok || s.GroupVersionKind.String() != want {
			t.Errorf("pods/%s is %v", name, s)
		}
	}
	if _, ok := pods.Subresource("nope"); ok || !pods.HasStatus() {
		t.Error("subresources of pods")
	}
}

func TestTwoRegistriesShareNoDefinitions(t *testing.T) {
	a, b := NewRegistry(), NewRegistry()
	if err := a.SetCRD(widgets(t)); err != nil {
		t.Fatal(err)
	}
	if _, ok := b.Lookup(widgetsResource); ok {
		t.Error("they do")
	}
}

// A server should be up in milliseconds, so a registry must not take longer.
func TestRegistriesAreCheap(t *testing.T) {
	NewRegistry() // the first one reads what is shared
	start := time.Now()
	for range 1000 {
		NewRegistry()
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("1000 took %v", took)
	}
}

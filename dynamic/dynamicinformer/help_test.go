package dynamicinformer_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest"
	"vedette.dev/dynamic"
	"vedette.dev/dynamic/dynamicinformer"
	"vedette.dev/rest"
)

// Nothing here may leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	widgets     = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
)

func newClient(t *testing.T, server *apitest.Server) dynamic.Interface {
	t.Helper()
	config := server.RESTConfig()
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeIdle(t, config) })
	return client
}

// closeIdle closes idle connections, which would otherwise be counted as leaks.
func closeIdle(t *testing.T, config *rest.Config) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Error(err)
		return
	}
	client.CloseIdleConnections()
}

func newFactory(t *testing.T, config dynamicinformer.Config) *dynamicinformer.Factory {
	t.Helper()
	factory, err := dynamicinformer.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return factory
}

func release(t *testing.T, factory *dynamicinformer.Factory) {
	t.Helper()
	if err := factory.Release(context.Background()); err != nil {
		t.Error(err)
	}
}

// define has the server serve widgets.
func define(ctx context.Context, t *testing.T, client dynamic.Interface) {
	t.Helper()
	body := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
		"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Widget","plural":"widgets","singular":"widget"},
		"versions":[{"name":"v1","served":true,"storage":true,
			"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`
	definition := &unstructured.Unstructured{}
	if err := definition.UnmarshalJSON([]byte(body)); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "widgets are served", func() bool {
		_, err := client.Resource(widgets).List(ctx, metav1.ListOptions{})
		return err == nil
	})
}

func undefine(ctx context.Context, t *testing.T, client dynamic.Interface) {
	t.Helper()
	if err := client.Resource(definitions).Delete(ctx, "widgets.example.com", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "widgets are gone", func() bool {
		_, err := client.Resource(widgets).List(ctx, metav1.ListOptions{})
		return err != nil
	})
}

func create(ctx context.Context, t *testing.T, client dynamic.Interface, gvr schema.GroupVersionResource, kind, namespace, name string) {
	t.Helper()
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": gvr.GroupVersion().String(), "kind": kind, "metadata": map[string]any{"name": name},
	}}
	if _, err := client.Resource(gvr).Namespace(namespace).Create(ctx, obj, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// eventually is for what happens at the other end of a connection. In a bubble it takes no time.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	pause := time.Millisecond
	began := time.Now()
	for ; !done(); pause = min(pause*5/4, time.Second) {
		if time.Since(began) > time.Hour {
			t.Fatalf("waited an hour, and not yet: %s", what)
		}
		time.Sleep(pause)
	}
	t.Logf("%v until %s", time.Since(began), what)
}

func names(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("n%02d", i))
	}
	return out
}

package apitest_test

import (
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
	"vedette.dev/dynamic"
)

// As on the real server: every watcher receives the deletions of the objects, and then the watch is over.
func TestAWatchEndsWithTheDefinitionOfItsKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		client, err := dynamic.NewForConfig(server.RESTConfig())
		if err != nil {
			t.Fatal(err)
		}
		definition := &unstructured.Unstructured{}
		if err := definition.UnmarshalJSON([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
			"metadata":{"name":"gadgets.example.com"},
			"spec":{"group":"example.com","scope":"Cluster","names":{"kind":"Gadget","plural":"gadgets"},
				"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`)); err != nil {
			t.Fatal(err)
		}
		definitions := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
		gadgets := client.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "gadgets"})
		for range 2 { // and again, when it is defined anew
			if _, err := definitions.Create(t.Context(), definition, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			gadget := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": map[string]any{"name": "one"}}}
			if _, err := gadgets.Create(t.Context(), gadget, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			w, err := gadgets.Watch(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if err := definitions.Delete(t.Context(), "gadgets.example.com", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			var heard []watch.EventType
			for event := range w.ResultChan() {
				heard = append(heard, event.Type)
			}
			if len(heard) != 2 || heard[0] != watch.Added || heard[1] != watch.Deleted {
				t.Errorf("heard %v, want an add and a deletion", heard)
			}
		}
	})
}

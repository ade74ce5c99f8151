package e2e

import (
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/cache"
	"vedette.dev/dynamic"
)

// passingKind is a custom kind that is defined, and then is not.
type passingKind struct {
	t        *testing.T
	client   dynamic.Interface
	resource schema.GroupVersionResource
}

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

func newPassingKind(t *testing.T) *passingKind {
	t.Helper()
	client, err := dynamic.NewForConfig(closing(t, adminConfig(t)))
	if err != nil {
		t.Fatal(err)
	}
	k := &passingKind{t: t, client: client}
	k.resource = schema.GroupVersionResource{Group: "passing.example.com", Version: "v1", Resource: "gadgets"}
	return k
}

func (k *passingKind) in(namespace string) cache.Requester {
	return k.client.Resource(k.resource).Namespace(namespace).(cache.Requester)
}

func (k *passingKind) example() *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion("passing.example.com/v1")
	u.SetKind("Gadget")
	return u
}

func (k *passingKind) define() {
	k.t.Helper()
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "gadgets.passing.example.com"},
		"spec": map[string]any{
			"group": "passing.example.com", "scope": "Namespaced",
			"names": map[string]any{"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
			}},
		},
	}}
	k.eventually("the kind is defined", func() error {
		_, err := k.client.Resource(definitions).Create(k.t.Context(), definition, metav1.CreateOptions{})
		return err
	})
}

func (k *passingKind) create(namespace, name string) {
	k.t.Helper()
	k.eventually("an object is created", func() error {
		u := k.example()
		u.SetName(name)
		_, err := k.client.Resource(k.resource).Namespace(namespace).Create(k.t.Context(), u, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	})
}

func (k *passingKind) undefine() {
	k.t.Helper()
	if err := k.client.Resource(definitions).Delete(k.t.Context(), "gadgets.passing.example.com", metav1.DeleteOptions{}); err != nil {
		k.t.Fatal(err)
	}
}

// eventually tries until there is no error.
func (k *passingKind) eventually(what string, try func() error) {
	k.t.Helper()
	var err error
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if err = try(); err == nil {
			return
		}
	}
	k.t.Fatalf("%s: %v", what, err)
}

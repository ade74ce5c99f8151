package written_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/apitest"
	"vedette.dev/dynamic"
	"vedette.dev/internal/written"
	"vedette.dev/kubernetes"
	"vedette.dev/rest"
)

// Each write that has succeeded is recorded with the version that the server has given it, in each format. Others are not.
func TestWrites(t *testing.T) {
	server := apitest.New(t, apitest.Config{InMemory: true})
	for name, change := range map[string]func(c *rest.Config){
		"JSON":     func(c *rest.Config) { c.ContentType = "application/json" },
		"protobuf": func(c *rest.Config) { c.ContentType = "application/vnd.kubernetes.protobuf" },
		"CBOR":     func(c *rest.Config) { c.ContentType = "application/cbor" },
	} {
		t.Run(name, func(t *testing.T) {
			config := server.RESTConfig()
			change(config)
			client, err := kubernetes.NewForConfig(config)
			if err != nil {
				t.Fatal(err)
			}
			var writes []written.Write
			ctx := written.With(t.Context(), func(w written.Write) { writes = append(writes, w) })
			wrote := func(what string, obj metav1.Object, err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
				want := written.Write{Resource: "configmaps", Namespace: "default", Name: "a", Version: obj.GetResourceVersion()}
				if len(writes) != 1 || writes[0] != want {
					t.Errorf("%s: recorded %+v, want %+v", what, writes, want)
				}
				writes = nil
			}
			maps := client.CoreV1().ConfigMaps("default")
			cm, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
			wrote("create", cm, err)
			cm.Data = map[string]string{"n": "1"}
			cm, err = maps.Update(ctx, cm, metav1.UpdateOptions{})
			wrote("update", cm, err)
			cm, err = maps.Patch(ctx, "a", types.MergePatchType, []byte(`{"data":{"n":"2"}}`), metav1.PatchOptions{})
			wrote("patch", cm, err)

			old := cm.DeepCopy()
			old.ResourceVersion = "1"
			if _, err := maps.Update(ctx, old, metav1.UpdateOptions{}); err == nil {
				t.Fatal("an update at an old version succeeded")
			}
			if _, err := maps.Get(ctx, "a", metav1.GetOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err := maps.List(ctx, metav1.ListOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := maps.Delete(ctx, "a", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err := maps.Create(context.Background(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "b"}}, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := maps.Delete(ctx, "b", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			if len(writes) > 0 {
				t.Errorf("recorded %+v", writes)
			}
		})
	}
}

// Writes of the dynamic client name the group of the resource, and an object without a namespace has none.
func TestWritesOfOtherGroups(t *testing.T) {
	server := apitest.New(t, apitest.Config{InMemory: true})
	client, err := dynamic.NewForConfig(server.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	var writes []written.Write
	ctx := written.With(t.Context(), func(w written.Write) { writes = append(writes, w) })
	role := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": map[string]any{"name": "reader"},
	}}
	made, err := client.Resource(schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"}).
		Create(ctx, role, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := written.Write{Group: "rbac.authorization.k8s.io", Resource: "clusterroles", Name: "reader", Version: made.GetResourceVersion()}
	if len(writes) != 1 || writes[0] != want {
		t.Errorf("recorded %+v, want %+v", writes, want)
	}
}

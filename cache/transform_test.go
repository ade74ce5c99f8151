package cache

import (
	"reflect"
	"slices"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	typed "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/metadata"
)

// withTransform runs a test with an informer of pods that has a transform and has synced.
func withTransform(t *testing.T, storage Storage, transform TransformFunc, test func(t *testing.T, c *storageCase)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		_, err := server.Create(t.Context(), storagePod("web-1", "node-1"))
		mustNot(t, err)
		config := server.RESTConfig()
		config.ContentType = inProtobuf
		client, err := typed.NewForConfig(config)
		mustNot(t, err)
		c := &storageCase{t: t, server: server}
		options := SharedIndexInformerOptions{Storage: storage}
		c.SharedIndexInformer = NewSharedIndexInformerWithOptions(NewListWatchFromClient(client.RESTClient(), "pods", "", nil), &corev1.Pod{}, options)
		mustNot(t, c.SetTransform(transform))
		c.run()
		test(t, c)
	})
}

func TestStripManagedFieldsDropsThemBeforeDecoding(t *testing.T) {
	for _, storage := range []Storage{{}, {Packed: true}, {Drop: []string{"spec.nodeName"}}, {Keep: []string{"metadata", "spec"}}} {
		withTransform(t, storage, StripManagedFields, func(t *testing.T, c *storageCase) {
			pod := c.get("default/web-1")
			if len(pod.ManagedFields) != 0 || len(c.onServer("web-1").ManagedFields) == 0 {
				t.Errorf("managed fields: %v here, %v on the server", pod.ManagedFields, c.onServer("web-1").ManagedFields)
			}
			if want := !slices.Contains(storage.Drop, "spec.nodeName"); (pod.Spec.NodeName != "") != want {
				t.Errorf("the node is %q", pod.Spec.NodeName)
			}
			// Only where fields are named does the transform have to be called.
			_, left := SharedIndexInformerOptions{Storage: storage}.newCodec(&corev1.Pod{}, StripManagedFields)
			called := left != nil
			if want := len(storage.Keep) > 0; called != want {
				t.Errorf("the transform is called: %v, want %v", called, want)
			}
		})
	}
}

// TestAMetadataTransformLeavesTheRestShared checks that a new state takes over what the transform cannot have changed, and that the
// transform writes to no state but the new one.
func TestAMetadataTransformLeavesTheRestShared(t *testing.T) {
	calls := 0
	mark := func(m metav1.Object) error {
		// The first state is left as it is, so that the second can take over its labels.
		if calls++; calls == 2 {
			m.GetLabels()["second"] = "yes"
		}
		return nil
	}
	withTransform(t, Storage{}, TransformMeta(mark), func(t *testing.T, c *storageCase) {
		before := c.get("default/web-1")
		next := c.onServer("web-1")
		next.Status.Phase = corev1.PodRunning
		_, err := c.server.UpdateStatus(t.Context(), next)
		mustNot(t, err)
		synctest.Wait()
		after := c.get("default/web-1")
		if after == before || after.Status.Phase != corev1.PodRunning {
			t.Fatalf("the pod has not changed: %v", after.Status.Phase)
		}
		if &after.Spec.Containers[0] != &before.Spec.Containers[0] {
			t.Error("the containers of the two states are not the same in memory")
		}
		if before.Labels["second"] != "" || after.Labels["second"] != "yes" {
			t.Errorf("labels before %v, after %v", before.Labels, after.Labels)
		}
	})
}

// TestMetadataHasTheKindOfItsExample checks both forms on the wire, live and packed.
func TestMetadataHasTheKindOfItsExample(t *testing.T) {
	for _, storage := range []Storage{{}, {Packed: true}} {
		for _, form := range []string{inProtobuf, inJSON} {
			synctest.Test(t, func(t *testing.T) {
				server := apitest.New(t, apitest.Config{InMemory: true})
				_, err := server.Create(t.Context(), storagePod("web-1", "node-1"))
				mustNot(t, err)
				config := server.RESTConfig()
				config.ContentType = form
				client, err := metadata.NewForConfig(config)
				mustNot(t, err)
				pods := client.Resource(corev1.SchemeGroupVersion.WithResource("pods"))
				c := &storageCase{t: t, server: server}
				options := SharedIndexInformerOptions{Storage: storage}
				c.SharedIndexInformer = NewSharedIndexInformerWithOptions(NewListWatchFromRequester(pods.(Requester), nil, nil), podMetadata(), options)
				c.run()
				for range 2 {
					obj, _, err := c.GetStore().GetByKey("default/web-1")
					mustNot(t, err)
					if got := obj.(*metav1.PartialObjectMetadata).TypeMeta; got != podMetadata().TypeMeta {
						t.Fatalf("%v, %s: the metadata is of %v", storage, form, got)
					}
					next := c.onServer("web-1")
					next.Labels["more"] = "yes"
					_, err = server.Update(t.Context(), next)
					mustNot(t, err)
					synctest.Wait()
				}
				if want := "metadata of /v1, Kind=Pod"; StateOf(c.SharedIndexInformer).Type != want {
					t.Errorf("the informer is of %q, want %q", StateOf(c.SharedIndexInformer).Type, want)
				}
			})
		}
	}
}

func TestStorageFit(t *testing.T) {
	storage := Storage{Packed: true, Keep: []string{"metadata.labels", "spec.nodeName"}}
	for _, c := range []struct {
		example any
		want    []string
	}{
		{&corev1.Pod{}, []string{"metadata.labels", "spec.nodeName"}},
		{&corev1.ConfigMap{}, []string{"metadata.labels"}},
		{podMetadata(), []string{"metadata.labels"}},
		{unstructuredPod(), []string{"metadata.labels", "spec.nodeName"}},
	} {
		fit := storage.Fit(reflect.TypeOf(c.example))
		if !slices.Equal(fit.Keep, c.want) || !fit.Packed {
			t.Errorf("%T: %+v", c.example, fit)
		}
		mustNot(t, fit.Validate(reflect.TypeOf(c.example)))
	}
}

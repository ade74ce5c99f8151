package apitest_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
	"vedette.dev/kubernetes"
	"vedette.dev/rest"
)

func clientset(t testing.TB, config *rest.Config) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// kindsOfServer are the ways to reach a server.
var ways = map[string]apitest.Config{
	"TLS":      {},
	"plain":    {PlainHTTP: true},
	"inMemory": {InMemory: true},
}

func TestVerbs(t *testing.T) {
	for name, config := range ways {
		for _, media := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
			t.Run(name+"/"+media, func(t *testing.T) {
				server := apitest.New(t, config)
				restConfig := server.RESTConfig()
				restConfig.ContentType = media
				testVerbs(t, clientset(t, restConfig))
			})
		}
	}
}

func testVerbs(t *testing.T, client *kubernetes.Clientset) {
	ctx := t.Context()
	maps := client.CoreV1().ConfigMaps("default")
	events, err := maps.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	created, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"x": "1"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, events, watch.Added, "a")
	if created.UID == "" || created.ResourceVersion == "" || created.CreationTimestamp.IsZero() || created.Namespace != "default" {
		t.Errorf("created: %+v", created.ObjectMeta)
	}
	created.Data["x"] = "2"
	updated, err := maps.Update(ctx, created, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, events, watch.Modified, "a")
	if _, err := maps.Update(ctx, created, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("update of an old version: %v", err)
	}
	patched, err := maps.Patch(ctx, "a", types.MergePatchType, []byte(`{"data":{"y":"3"}}`), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, events, watch.Modified, "a")
	if patched.Data["x"] != "2" || patched.Data["y"] != "3" || patched.UID != updated.UID {
		t.Errorf("patched: %+v", patched)
	}
	got, err := maps.Get(ctx, "a", metav1.GetOptions{})
	if err != nil || got.ResourceVersion != patched.ResourceVersion {
		t.Errorf("got %+v, %v", got, err)
	}
	list, err := maps.List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.ResourceVersion == "" {
		t.Errorf("listed %+v, %v", list, err)
	}
	if err := maps.Delete(ctx, "a", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	expect(t, events, watch.Deleted, "a")
	if _, err := maps.Get(ctx, "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("after the deletion: %v", err)
	}
}

func expect(t testing.TB, events watch.Interface, kind watch.EventType, name string) {
	t.Helper()
	select {
	case event := <-events.ResultChan():
		m, ok := event.Object.(metav1.Object)
		if event.Type != kind || !ok || m.GetName() != name {
			t.Fatalf("got %s %+v, want %s of %s", event.Type, event.Object, kind, name)
		}
	case <-time.After(10 * time.Second):
		t.Fatalf("no event, want %s of %s", kind, name)
	}
}

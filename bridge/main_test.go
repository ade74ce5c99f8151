package bridge_test

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	clientgorest "k8s.io/client-go/rest"
	clientgocache "k8s.io/client-go/tools/cache"

	"go.uber.org/goleak"

	"vedette.dev/apitest"
	"vedette.dev/bridge"
	"vedette.dev/cache"
)

func TestMain(m *testing.M) {
	// client-go keeps a goroutine for each client certificate, and klog one for its flushes.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("k8s.io/klog/v2.(*flushDaemon).run.func1"))
}

func must[T any](t *testing.T) func(value T, err error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// newServer returns a server with two config maps and a client-go configuration for it.
func newServer(t *testing.T) (*apitest.Server, *clientgorest.Config) {
	t.Helper()
	server := apitest.New(t, apitest.Config{})
	for _, name := range []string{"a", "b"} {
		must[any](t)(server.Create(t.Context(), configMap(name, "1")))
	}
	config := must[*clientgorest.Config](t)(bridge.ToClientGo(server.RESTConfig()))
	config.QPS = -1
	return server, config
}

func configMap(name, value string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Data: map[string]string{"value": value}}
}

func newClient(t *testing.T, config *clientgorest.Config) kubernetes.Interface {
	t.Helper()
	return must[*kubernetes.Clientset](t)(kubernetes.NewForConfig(config))
}

// run runs an informer until the test ends, and waits until it has synced.
func run(t *testing.T, informer clientgocache.SharedIndexInformer) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); informer.RunWithContext(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
	eventually(t, "sync", informer.HasSynced)
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("no %s after 20 s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// value returns the value of a config map in a store, and "" if there is none.
func value(store clientgocache.Store, name string) string {
	obj, ok, err := store.GetByKey("default/" + name)
	if err != nil || !ok {
		return ""
	}
	return obj.(*corev1.ConfigMap).Data["value"]
}

// stateOf returns the state of the informer behind one of client-go.
func stateOf(t *testing.T, informer clientgocache.SharedIndexInformer) cache.State {
	t.Helper()
	engine, ok := bridge.Unwrap(informer)
	if !ok {
		t.Fatalf("%T is not of this package", informer)
	}
	return cache.StateOf(engine)
}

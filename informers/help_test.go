package informers

import (
	"context"
	"testing"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest"
	"vedette.dev/kubernetes"
)

// Nothing here may leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newClient is for a server that has some objects, and takes all others as they are.
func newClient(t *testing.T, objs ...runtime.Object) (*apitest.Server, kubernetes.Interface) {
	t.Helper()
	server := apitest.New(t, apitest.Config{InProcess: true, Lenient: true, Objects: objs})
	client, err := kubernetes.NewForConfig(server.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	return server, client
}

func mustNew(t *testing.T, config Config) *Factory {
	t.Helper()
	f, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func release(t *testing.T, f *Factory) {
	t.Helper()
	if err := f.Release(context.Background()); err != nil {
		t.Error(err)
	}
}

func pod(namespace, name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"name": name}}}
}

// Package e2e holds the tests of the clients on a real API server.
package e2e

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/kubernetes"
	"vedette.dev/rest"
	"vedette.dev/testenv"
)

var shared testenv.Shared

func TestMain(m *testing.M) {
	if runAsPlugin() {
		os.Exit(0)
	}
	goleak.VerifyTestMain(shared.Wrap(m))
}

// adminConfig is for an administrator, without a rate limit.
func adminConfig(t testing.TB) *rest.Config {
	t.Helper()
	config := shared.Env(t).RESTConfig()
	config.QPS = -1
	return config
}

// closing makes the leak check see only what we forgot.
func closing(t testing.TB, config *rest.Config) *rest.Config {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	return config
}

func newClientset(t testing.TB) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(closing(t, adminConfig(t)))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// newNamespace makes a namespace for one test.
func newNamespace(t testing.TB, client kubernetes.Interface) string {
	t.Helper()
	ns, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-"},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return ns.Name
}

func newPod(name string, labels map[string]string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "registry.example/app:1"}}},
	}
}

func createPods(t testing.TB, client kubernetes.Interface, ns string, n int) {
	t.Helper()
	for i := range n {
		p := newPod(fmt.Sprintf("pod-%03d", i), map[string]string{"app": "web", "odd": fmt.Sprint(i % 2)})
		if _, err := client.CoreV1().Pods(ns).Create(t.Context(), p, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// within fails a test that waits for something that does not come.
func within(t testing.TB, limit time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

func wantError(t testing.TB, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want one with %q", err, text)
	}
}

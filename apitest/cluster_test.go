package apitest_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest"
)

// With the controllers of a cluster, a namespace that is deleted goes with all that is in it, but waits for finalizers.
func TestDeletedNamespaceGoes(t *testing.T) {
	server := apitest.New(t, apitest.Config{InMemory: true, Objects: []runtime.Object{
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "x"}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "held", Namespace: "x", Finalizers: []string{"example.com/held"}}},
	}})
	client := clientset(t, server.RESTConfig())
	ctx := t.Context()
	if err := client.CoreV1().Namespaces().Delete(ctx, "x", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	namespace, err := client.CoreV1().Namespaces().Get(ctx, "x", metav1.GetOptions{})
	if err != nil || namespace.Status.Phase != corev1.NamespaceTerminating {
		t.Fatalf("%+v, %v", namespace, err)
	}
	held, err := client.CoreV1().ConfigMaps("x").Get(ctx, "held", metav1.GetOptions{})
	if err != nil || held.DeletionTimestamp == nil {
		t.Fatalf("%+v, %v", held, err)
	}
	held.Finalizers = nil
	if _, err := client.CoreV1().ConfigMaps("x").Update(ctx, held, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Namespaces().Get(ctx, "x", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the namespace is still there: %v", err)
	}
}

// Objects that a test begins with are stored as they are.
func TestPutKeepsWhatIsThere(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "made", UID: "of-old"}, Status: corev1.PodStatus{Phase: corev1.PodRunning}}
	server := apitest.New(t, apitest.Config{InMemory: true, Objects: []runtime.Object{pod}})
	got, err := clientset(t, server.RESTConfig()).CoreV1().Pods("made").Get(t.Context(), "p", metav1.GetOptions{})
	if err != nil || got.UID != "of-old" || got.Status.Phase != corev1.PodRunning || got.ResourceVersion == "" {
		t.Errorf("%+v, %v", got, err)
	}
	if pod.ResourceVersion != "" {
		t.Error("the object that was given has changed")
	}
}

func TestConfigNamesTheBadField(t *testing.T) {
	for field, config := range map[string]apitest.Config{
		"Config.PlainHTTP": {InMemory: true, PlainHTTP: true},
		"Config.History":   {History: -1},
		"Config.Tokens":    {Tokens: map[string]apitest.User{"": {Name: "x"}}},
	} {
		_, err := apitest.Start(config)
		if err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

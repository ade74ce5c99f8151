package apitest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest"
	"vedette.dev/internal/testsize"
)

var podResource = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

// Filled pods are as real ones: a server that checks what it gets takes them, and adds next to nothing.
func TestFilledPodsAreValid(t *testing.T) {
	count := testsize.Of(300, 30)
	filled := apitest.New(t, apitest.Config{InMemory: true})
	if err := filled.Fill(t.Context(), apitest.Load{Pods: count, Replicas: 3}); err != nil {
		t.Fatal(err)
	}
	pods, _, err := filled.List(t.Context(), podResource, "")
	if err != nil || len(pods) != count {
		t.Fatal(len(pods), err)
	}
	server := apitest.New(t, apitest.Config{InMemory: true, CreateNamespaces: true})
	client := clientset(t, server.RESTConfig())
	for _, obj := range pods {
		pod := obj.(*corev1.Pod)
		pod.ResourceVersion = ""
		created, err := client.CoreV1().Pods(pod.Namespace).Create(t.Context(), pod, metav1.CreateOptions{FieldValidation: "Strict"})
		if err != nil {
			t.Fatalf("%s: %v", pod.Name, err)
		}
		if !apiequality.Semantic.DeepEqual(created.Spec, pod.Spec) {
			t.Fatalf("%s: the server changed the spec:\n%v\n%v", pod.Name, pod.Spec, created.Spec)
		}
		created.Status = pod.Status
		if _, err := client.CoreV1().Pods(pod.Namespace).UpdateStatus(t.Context(), created, metav1.UpdateOptions{FieldValidation: "Strict"}); err != nil {
			t.Fatalf("%s: %v", pod.Name, err)
		}
	}
}

func TestFillIsTheSameEachTime(t *testing.T) {
	list := func(seed uint64) []runtime.Object {
		server := apitest.New(t, apitest.Config{InMemory: true})
		template := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "c-", Namespace: "x"}}
		if err := server.Fill(t.Context(), apitest.Load{Pods: 100, Object: template, Count: 10, Seed: seed}); err != nil {
			t.Fatal(err)
		}
		objs, _, err := server.List(t.Context(), podResource, "")
		if err != nil {
			t.Fatal(err)
		}
		return objs
	}
	if !apiequality.Semantic.DeepEqual(list(5), list(5)) {
		t.Error("the same load is not the same")
	}
	if apiequality.Semantic.DeepEqual(list(5), list(6)) {
		t.Error("another seed makes the same pods")
	}
}

func TestFillAnyKind(t *testing.T) {
	widget := func(fields map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w", "namespace": "made"}, "spec": fields,
		}}
	}
	gvk := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}
	server := apitest.New(t, apitest.Config{InMemory: true, Kinds: []apitest.Kind{{GroupVersionKind: gvk, Namespaced: true}}})
	var reports []string
	load := apitest.Load{Object: widget(map[string]any{"size": int64(3)}), Count: 2500,
		Progress: func(done, total int) { reports = append(reports, fmt.Sprintf("%d/%d", done, total)) }}
	if err := server.Fill(t.Context(), load); err != nil {
		t.Fatal(err)
	}
	objs, _, err := server.List(t.Context(), schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}, "made")
	if err != nil || len(objs) != 2500 {
		t.Fatal(len(objs), err)
	}
	last := objs[2499].(*unstructured.Unstructured)
	if size, _, _ := unstructured.NestedInt64(last.Object, "spec", "size"); last.GetName() != "w-002499" || size != 3 || last.GetUID() == "" {
		t.Errorf("got %v", last)
	}
	if strings.Join(reports, " ") != "1000/2500 2000/2500 2500/2500" {
		t.Errorf("progress %v", reports)
	}
}

func TestBadLoads(t *testing.T) {
	server := apitest.New(t, apitest.Config{InMemory: true})
	for want, load := range map[string]apitest.Load{
		"Load.Pods is negative: -1":     {Pods: -1},
		"Load.Nodes is negative":        {Pods: 1, Nodes: -2},
		"Load.Namespaces is negative":   {Pods: 1, Namespaces: -2},
		"Load.Replicas is negative":     {Pods: 1, Replicas: -2},
		"Load.Count is negative":        {Object: &corev1.Pod{}, Count: -1},
		"no Load.Object to copy":        {Count: 3},
		"Load.Count is 0":               {Object: &corev1.Pod{}},
		"are both 0":                    {},
		"neither a name nor a generate": {Object: &corev1.Pod{}, Count: 1},
		"needs a namespace":             {Object: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}, Count: 1},
		"does not serve objects":        {Object: &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "n"}}, Count: 1},
	} {
		if err := server.Fill(t.Context(), load); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := server.Fill(ctx, apitest.Load{Pods: 10}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled fill: %v", err)
	}
}

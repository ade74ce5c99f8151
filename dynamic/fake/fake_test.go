package fake_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/dynamic/fake"
	"vedette.dev/kubernetes/scheme"
	clienttesting "vedette.dev/testing"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	ctx     = context.Background()
	widgets = schema.GroupVersionResource{Group: "group", Version: "version", Resource: "thekinds"}
	pods    = corev1.SchemeGroupVersion.WithResource("pods")
)

func object(apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": apiVersion, "kind": kind,
		"metadata": map[string]any{"namespace": namespace, "name": name},
		"spec":     map[string]any{"anything": int64(1), "list": []any{"a", map[string]any{"b": true}}},
	}}
}

func TestObjectsOfAnyKind(t *testing.T) {
	client := fake.NewSimpleDynamicClient(runtime.NewScheme(),
		object("group/version", "TheKind", "ns-foo", "name-foo"),
		object("group/version", "TheKind", "", "no-namespace"),
		object("v1", "Pod", "ns-foo", "odd"), // not what a pod looks like
		&corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Name: "typed", Namespace: "ns-foo"}},
	)
	got, err := client.Resource(widgets).Namespace("ns-foo").Get(ctx, "name-foo", metav1.GetOptions{})
	if err != nil || got.Object["spec"].(map[string]any)["anything"] != int64(1) || got.GetKind() != "TheKind" {
		t.Errorf("%v, %v", got, err)
	}
	if want := object("group/version", "TheKind", "ns-foo", "name-foo"); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, err := client.Resource(widgets).Get(ctx, "no-namespace", metav1.GetOptions{}); err != nil || got.GetNamespace() != "" {
		t.Errorf("%v, %v", got, err)
	}
	list, err := client.Resource(widgets).List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 2 || list.GetKind() != "TheKindList" || list.GetResourceVersion() == "" {
		t.Errorf("%v, %v", list, err)
	}
	if got, err := client.Resource(pods).Namespace("ns-foo").Get(ctx, "odd", metav1.GetOptions{}); err != nil || got.Object["spec"].(map[string]any)["anything"] != int64(1) {
		t.Errorf("%v, %v", got, err)
	}
	if list, err := client.Resource(pods).List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=none"}); err != nil || list.Items != nil {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := client.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace("ns-foo").Get(ctx, "typed", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	// An unknown resource does not exist until an object of it is created.
	gadgets := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "gadgetry"}
	if _, err := client.Resource(gadgets).List(ctx, metav1.ListOptions{}); !apierrors.IsNotFound(err) {
		t.Error(err)
	}
	if _, err := client.Resource(gadgets).Namespace("x").Create(ctx, object("example.com/v1", "Gadget", "x", "g"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if list, err := client.Resource(gadgets).Namespace("x").List(ctx, metav1.ListOptions{}); err != nil || len(list.Items) != 1 || list.GetKind() != "GadgetList" {
		t.Errorf("%v, %v", list, err)
	}
}

func TestListKinds(t *testing.T) {
	gvr := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "oxen"}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{gvr: "OxList"},
		object("example.com/v1", "Ox", "a", "bill"))
	list, err := client.Resource(gvr).List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.GetKind() != "OxList" {
		t.Errorf("%v, %v", list, err)
	}
	action := client.Actions()[0].(clienttesting.ListActionImpl)
	if action.Kind != (schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Ox"}) {
		t.Errorf("%#v", action)
	}
	defer func() {
		if recover() == nil {
			t.Error("a list kind that is none")
		}
	}()
	fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{gvr: "Ox"})
}

func TestPatches(t *testing.T) {
	client := fake.NewSimpleDynamicClient(runtime.NewScheme(), object("group/version", "TheKind", "ns", "o"))
	on := client.Resource(widgets).Namespace("ns")
	for _, tt := range []struct {
		kind  types.PatchType
		patch string
		want  string
	}{
		{types.MergePatchType, `{"spec":{"anything":null,"more":"yes"}}`, "map[list:[a map[b:true]] more:yes]"},
		{types.JSONPatchType, `[{"op":"replace","path":"/spec/more","value":7}]`, "map[list:[a map[b:true]] more:7]"},
	} {
		got, err := on.Patch(ctx, "o", tt.kind, []byte(tt.patch), metav1.PatchOptions{})
		if err != nil || fmt.Sprint(got.Object["spec"]) != tt.want {
			t.Errorf("%s: %v, %v", tt.kind, got, err)
		}
	}
	applied := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "group/version", "kind": "TheKind",
		"metadata": map[string]any{"name": "o", "namespace": "ns"}, "spec": map[string]any{"more": "applied"}}}
	got, err := on.Apply(ctx, "o", applied, metav1.ApplyOptions{FieldManager: "me", Force: true})
	if err != nil || fmt.Sprint(got.Object["spec"]) != "map[list:[a map[b:true]] more:applied]" {
		t.Errorf("%v, %v", got, err)
	}
	got.Object["status"] = map[string]any{"done": true}
	got.Object["spec"] = "lost"
	got, err = on.UpdateStatus(ctx, got, metav1.UpdateOptions{})
	if err != nil || fmt.Sprint(got.Object["spec"], got.Object["status"]) != "map[list:[a map[b:true]] more:applied] map[done:true]" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestReactorsAndActions(t *testing.T) {
	client := fake.NewSimpleDynamicClient(scheme.Scheme)
	boom := errors.New("boom")
	client.PrependReactor("create", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if a.(clienttesting.CreateAction).GetObject().(*unstructured.Unstructured).GetName() == "bad" {
			return true, nil, boom
		}
		return false, nil, nil
	})
	client.PrependReactor("list", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, &unstructured.UnstructuredList{Items: []unstructured.Unstructured{*object("v1", "Pod", "a", "made-up")}}, nil
	})
	if _, err := client.Resource(pods).Namespace("a").Create(ctx, object("v1", "Pod", "a", "bad"), metav1.CreateOptions{}); !errors.Is(err, boom) {
		t.Error(err)
	}
	if _, err := client.Resource(pods).Namespace("a").Create(ctx, object("v1", "Pod", "a", "good"), metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
	list, err := client.Resource(pods).List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.Items[0].GetName() != "made-up" {
		t.Errorf("%v, %v", list, err)
	}
	if err := client.Resource(pods).Namespace("a").DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := client.Tracker().Get(pods, "a", "good"); !apierrors.IsNotFound(err) {
		t.Error(err)
	}
	if got := len(client.Actions()); got != 4 {
		t.Errorf("%d actions", got)
	}
}

func TestWatchInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewSimpleDynamicClient(runtime.NewScheme(), object("group/version", "TheKind", "ns", "o"))
		on := client.Resource(widgets).Namespace("ns")
		w, err := on.Watch(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			time.Sleep(10 * time.Minute)
			if err := on.Delete(ctx, "o", metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		}()
		for _, want := range []watch.EventType{watch.Added, watch.Deleted} {
			if e := <-w.ResultChan(); e.Type != want {
				t.Errorf("%v, want %s", e, want)
			}
		}
		w.Stop()
	})
}

func BenchmarkNew(b *testing.B) {
	b.Run("own scheme", func(b *testing.B) {
		s := runtime.NewScheme()
		for b.Loop() {
			fake.NewSimpleDynamicClient(s, object("group/version", "TheKind", "ns", "o"))
		}
	})
	b.Run("scheme of all kinds", func(b *testing.B) {
		for b.Loop() {
			fake.NewSimpleDynamicClient(scheme.Scheme, object("group/version", "TheKind", "ns", "o"))
		}
	})
}

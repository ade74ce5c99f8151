// Package use uses what the generators make, as a program for client-go does.
package use

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	v1 "example.com/port/apis/sample/v1"
	apply "example.com/port/generated/applyconfiguration/sample/v1"
	clientset "example.com/port/generated/clientset/versioned"
	"example.com/port/generated/clientset/versioned/fake"
	informers "example.com/port/generated/informers/externalversions"
)

func widget(name string) *v1.Widget {
	return &v1.Widget{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns"}, Spec: v1.WidgetSpec{Color: "red"}}
}

func TestClientset(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.Method + " " + r.URL.Path {
		case "GET /apis/sample.example.com/v1/namespaces/ns/widgets/w":
			_, _ = w.Write([]byte(`{"apiVersion":"sample.example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"ns"},"spec":{"color":"red"}}`))
		case "GET /apis/sample.example.com/v1/namespaces/ns/widgets/w/scale":
			_, _ = w.Write([]byte(`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"w"},"spec":{"replicas":3}}`))
		case "GET /apis/sample.example.com/v1/factories":
			_, _ = w.Write([]byte(`{"apiVersion":"sample.example.com/v1","kind":"FactoryList","metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"f"}}]}`))
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	client, err := clientset.NewForConfig(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if w, err := client.SampleV1().Widgets("ns").Get(context.Background(), "w", metav1.GetOptions{}); err != nil || w.Spec.Color != "red" {
		t.Errorf("%v, %v", w, err)
	}
	if scale, err := client.SampleV1().Widgets("ns").GetScale(context.Background(), "w", metav1.GetOptions{}); err != nil || scale.Spec.Replicas != 3 {
		t.Errorf("%v, %v", scale, err)
	}
	if list, err := client.SampleV1().Factories().List(context.Background(), metav1.ListOptions{}); err != nil || len(list.Items) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestFake(t *testing.T) {
	ctx := context.Background()
	var client clientset.Interface = fake.NewSimpleClientset(widget("w"), &v1.Factory{ObjectMeta: metav1.ObjectMeta{Name: "f"}})
	got, err := client.SampleV1().Widgets("ns").Get(ctx, "w", metav1.GetOptions{})
	if err != nil || got.UID != "" || got.ResourceVersion != "" || got.Spec.Color != "red" {
		t.Fatalf("%v, %v", got, err)
	}
	got.Status.Replicas = 2
	if got, err = client.SampleV1().Widgets("ns").UpdateStatus(ctx, got, metav1.UpdateOptions{}); err != nil || got.Status.Replicas != 2 {
		t.Errorf("%v, %v", got, err)
	}
	if f, err := client.SampleV1().Factories().Get(ctx, "f", metav1.GetOptions{}); err != nil || f.Name != "f" {
		t.Errorf("%v, %v", f, err)
	}
	if list, err := client.SampleV1().Widgets("other").List(ctx, metav1.ListOptions{}); err != nil || list.Items != nil {
		t.Errorf("%v, %v", list, err)
	}
	managed := fake.NewClientset()
	applied, err := managed.SampleV1().Widgets("ns").Apply(ctx, apply.Widget("a", "ns").WithSpec(apply.WidgetSpec().WithColor("blue")),
		metav1.ApplyOptions{FieldManager: "test"})
	if err != nil || applied.Spec.Color != "blue" {
		t.Errorf("%v, %v", applied, err)
	}
	managed.PrependReactor("update", "widgets/scale", func(a clienttesting.Action) (bool, runtime.Object, error) {
		return true, a.(clienttesting.UpdateAction).GetObject(), nil
	})
	scale := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: autoscalingv1.ScaleSpec{Replicas: 4}}
	if scale, err = managed.SampleV1().Widgets("ns").UpdateScale(ctx, "a", scale, metav1.UpdateOptions{}); err != nil || scale.Spec.Replicas != 4 {
		t.Errorf("%v, %v", scale, err)
	}
	boom := errors.New("boom")
	managed.PrependReactor("delete", "factories", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, boom })
	if err := managed.SampleV1().Factories().Delete(ctx, "f", metav1.DeleteOptions{}); err != boom {
		t.Error(err)
	}
}

func TestInformer(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client := fake.NewSimpleClientset(widget("w"))
	factory := informers.NewSharedInformerFactory(client, 0)
	widgets, factories := factory.Sample().V1().Widgets(), factory.Sample().V1().Factories()
	added := make(chan string, 10)
	_, err := widgets.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) { added <- obj.(*v1.Widget).Name }})
	if err != nil {
		t.Fatal(err)
	}
	factories.Informer()
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	defer cancel()
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			t.Fatal(kind)
		}
	}
	if _, err := client.SampleV1().Widgets("ns").Create(ctx, widget("x"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"w", "x"} {
		if got := <-added; got != want {
			t.Errorf("added %s, want %s", got, want)
		}
	}
	if list, err := widgets.Lister().Widgets("ns").List(labels.Everything()); err != nil || len(list) != 2 {
		t.Errorf("%v, %v", list, err)
	}
	if list, err := factories.Lister().List(labels.Everything()); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

package framework_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/cache"
	framework "vedette.dev/cache/testing"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func pod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns"}}
}

// TestInformer: an informer follows the source through a watch that ends and one that fails.
func TestInformer(t *testing.T) {
	source := framework.NewFakeControllerSource()
	source.Add(pod("a"))
	got := make(chan string, 100)
	informer := cache.NewSharedIndexInformer(source, &corev1.Pod{}, 0, nil)
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { got <- "add " + obj.(*corev1.Pod).Name },
		UpdateFunc: func(_, obj any) { got <- "update " + obj.(*corev1.Pod).Name + " " + obj.(*corev1.Pod).Labels["x"] },
		DeleteFunc: func(obj any) {
			key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
			got <- fmt.Sprint("delete ", key, err)
		},
	}); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	stop := make(chan struct{})
	go func() { defer close(done); informer.Run(stop) }()
	want := func(text string) {
		t.Helper()
		select {
		case g := <-got:
			if g != text {
				t.Fatalf("%q, want %q", g, text)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("nothing, want %q", text)
		}
	}
	want("add a")
	source.Add(pod("b"))
	want("add b")
	changed := pod("b")
	changed.Labels = map[string]string{"x": "y"}
	source.Modify(changed)
	want("update b y")
	source.DeleteDropWatch(pod("a"))
	source.ResetWatch() // the informer must list again
	want("delete ns/a<nil>")
	close(stop)
	<-done
	source.Shutdown()
}

func TestWatch(t *testing.T) {
	source := framework.NewFakeControllerSource()
	source.Add(pod("a"))
	source.AddDropWatch(pod("b"))
	source.ModifyDropWatch(pod("b"))
	w, err := source.Watch(metav1.ListOptions{ResourceVersion: "1"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []watch.EventType{watch.Added, watch.Modified} {
		if e := <-w.ResultChan(); e.Type != want || e.Object.(*corev1.Pod).ResourceVersion != fmt.Sprint(i+2) {
			t.Errorf("%v", e)
		}
	}
	w.Stop()
	for _, version := range []string{"", "x", "4"} {
		if _, err := source.Watch(metav1.ListOptions{ResourceVersion: version}); err == nil || apierrors.IsResourceExpired(err) {
			t.Errorf("%q: %v", version, err)
		}
	}
	source.ResetWatch()
	if _, err := source.Watch(metav1.ListOptions{ResourceVersion: "2"}); !apierrors.IsResourceExpired(err) {
		t.Error(err)
	}
	if w, err = source.Watch(metav1.ListOptions{ResourceVersion: "3"}); err != nil {
		t.Fatal(err)
	}
	w.Stop()
	source.ListError = errors.New("mine")
	if _, err := source.List(metav1.ListOptions{}); err != source.ListError {
		t.Error(err)
	}
	source.Shutdown()
}

func TestListsOfVolumes(t *testing.T) {
	pv := framework.NewFakePVControllerSource()
	pv.Add(&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "v"}})
	if list, err := pv.List(metav1.ListOptions{}); err != nil || list.(*corev1.PersistentVolumeList).Items[0].Name != "v" {
		t.Errorf("%v, %v", list, err)
	}
	pv.Shutdown()
	pvc := framework.NewFakePVCControllerSource()
	pvc.Add(&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "c"}})
	if list, err := pvc.List(metav1.ListOptions{}); err != nil || list.(*corev1.PersistentVolumeClaimList).ResourceVersion != "1" {
		t.Errorf("%v, %v", list, err)
	}
	pvc.Shutdown()
}

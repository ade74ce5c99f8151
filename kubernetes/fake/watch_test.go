package fake_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/kubernetes/fake"
	clienttesting "vedette.dev/testing"
)

// next is the next event of a watch of pods.
func next(t *testing.T, w watch.Interface) string {
	t.Helper()
	select {
	case e, ok := <-w.ResultChan():
		if !ok {
			return "closed"
		}
		if p, ok := e.Object.(*corev1.Pod); ok {
			return fmt.Sprintf("%s %s %s", e.Type, p.Name, p.Annotations[metav1.InitialEventsAnnotationKey])
		}
		return fmt.Sprintf("%s %T", e.Type, e.Object)
	case <-time.After(10 * time.Second):
		t.Fatal("no event")
		return ""
	}
}

func TestWatch(t *testing.T) {
	client := fake.NewSimpleClientset(pod("old"))
	pods := client.CoreV1().Pods("default")
	list, err := pods.List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := pods.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	p, err := pods.Create(ctx, pod("p"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p.Labels = map[string]string{"a": "b"}
	if _, err := pods.Update(ctx, p, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := pods.Delete(ctx, "p", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ADDED p ", "MODIFIED p ", "DELETED p "} {
		if got := next(t, w); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	w.Stop()

	stream, err := pods.Watch(ctx, metav1.ListOptions{SendInitialEvents: new(true), AllowWatchBookmarks: true,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ADDED old ", "BOOKMARK  true"} {
		if got := next(t, stream); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	stream.Stop()
}

func TestWatchEndsWithItsContext(t *testing.T) {
	client := fake.NewSimpleClientset()
	ctx, cancel := context.WithCancel(ctx)
	w, err := client.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	for got := ""; got != "closed"; { // after an error, as with a connection
		if got = next(t, w); got != "closed" && got != "ERROR *v1.Status" {
			t.Fatalf("got %q", got)
		}
	}
	if _, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a request after the end: %v", err)
	}
}

// Who stops a watch hears no more of it.
func TestStoppedWatchIsSilent(t *testing.T) {
	client := fake.NewSimpleClientset()
	mine := watch.NewFake()
	for i := range 400 {
		resource := client.CoreV1().Pods("").Watch
		if i%2 == 1 {
			client.PrependWatchReactor("configmaps", clienttesting.DefaultWatchReactor(mine, nil))
			resource = client.CoreV1().ConfigMaps("").Watch
		}
		w, err := resource(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		go w.Stop()
		for e := range w.ResultChan() {
			t.Fatalf("%s: %v", e.Type, e.Object)
		}
	}
}

func TestWatchReactor(t *testing.T) {
	client := fake.NewSimpleClientset(pod("hidden"))
	mine := watch.NewFake()
	client.PrependWatchReactor("pods", clienttesting.DefaultWatchReactor(mine, nil))
	w, err := client.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		mine.Modify(pod("p"))
		mine.Error(&metav1.Status{Status: metav1.StatusFailure, Code: 410, Reason: metav1.StatusReasonExpired})
		mine.Stop()
	}()
	for _, want := range []string{"MODIFIED p ", "ERROR *v1.Status", "closed"} {
		if got := next(t, w); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	// A reflector that wants a list at the beginning of its watch has to list: a test expects it.
	_, err = client.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{SendInitialEvents: new(true), AllowWatchBookmarks: true,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
	if !apierrors.IsInvalid(err) {
		t.Errorf("got %v", err)
	}
	boom := errors.New("boom")
	client.PrependWatchReactor("*", clienttesting.DefaultWatchReactor(nil, boom))
	if _, err := client.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{}); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
}

func TestTracker(t *testing.T) {
	client := fake.NewClientset(pod("p"))
	tracker := client.Tracker()
	gvr := corev1.SchemeGroupVersion.WithResource("pods")
	w, err := tracker.Watch(gvr, "default")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	obj, err := tracker.Get(gvr, "default", "p")
	if err != nil {
		t.Fatal(err)
	}
	p := obj.(*corev1.Pod)
	p.Labels = map[string]string{"a": "b"}
	if err := tracker.Add(p); err != nil { // past all rules: it has no containers
		t.Fatal(err)
	}
	if got := next(t, w); got != "MODIFIED p " {
		t.Error(got)
	}
	list, err := tracker.List(gvr, corev1.SchemeGroupVersion.WithKind("Pod"), "")
	if err != nil || len(list.(*corev1.PodList).Items) != 1 || list.(*corev1.PodList).Items[0].Labels["a"] != "b" {
		t.Errorf("%v, %v", list, err)
	}
	if err := tracker.Create(gvr, pod("p"), "default"); err == nil {
		t.Error("created twice, and invalid")
	}
	if err := tracker.Delete(gvr, "default", "p"); err != nil {
		t.Error(err)
	}
	if _, err := tracker.Get(gvr, "default", "p"); !apierrors.IsNotFound(err) {
		t.Error(err)
	}
	if len(client.Actions()) != 0 {
		t.Errorf("%v", client.Actions())
	}
	// Invokes comes to the same objects.
	if _, err := client.Invokes(clienttesting.NewGetAction(gvr, "default", "none"), &corev1.Pod{}); !apierrors.IsNotFound(err) || len(client.Actions()) != 1 {
		t.Errorf("%v, %v", err, client.Actions())
	}
}

func TestConcurrentUse(t *testing.T) {
	client := fake.NewSimpleClientset()
	client.PrependReactor("get", "pods", func(clienttesting.Action) (bool, kruntime.Object, error) { return false, nil, nil })
	w, err := client.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	const workers, each = 8, 25
	var group sync.WaitGroup
	for i := range workers {
		group.Go(func() {
			for j := range each {
				name := fmt.Sprintf("p-%d-%d", i, j)
				if _, err := client.CoreV1().Pods("default").Create(ctx, pod(name), metav1.CreateOptions{}); err != nil {
					t.Error(err)
				}
				if _, err := client.CoreV1().Pods("default").Get(ctx, name, metav1.GetOptions{}); err != nil {
					t.Error(err)
				}
				client.PrependReactor("none", "none", nil)
			}
		})
	}
	for range workers * each {
		next(t, w)
	}
	group.Wait()
	if got := len(client.Actions()); got != 1+2*workers*each {
		t.Errorf("%d actions", got)
	}
}

// In a bubble: a day passes, and nothing of the fake is left behind.
func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset()
		w, err := client.CoreV1().ConfigMaps("").Watch(ctx, metav1.ListOptions{TimeoutSeconds: new(int64(100_000))})
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for i := range 24 {
				time.Sleep(time.Hour)
				if _, err := client.CoreV1().ConfigMaps("x").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("c", i)}}, metav1.CreateOptions{}); err != nil {
					t.Error(err)
				}
			}
		}()
		began := time.Now()
		for range 24 {
			<-w.ResultChan()
		}
		if passed := time.Since(began); passed != 24*time.Hour {
			t.Errorf("%v passed", passed)
		}
		w.Stop()
	})
}

// A thousand fakes are quick, and garbage when they are no longer used.
func TestAThousandFakes(t *testing.T) {
	for name, make := range map[string]func(...kruntime.Object) *fake.Clientset{"simple": fake.NewSimpleClientset, "checked": fake.NewClientset} {
		t.Run(name, func(t *testing.T) {
			use := func() {
				client := make(configMap("c"))
				if _, err := client.CoreV1().ConfigMaps("default").Get(ctx, "c", metav1.GetOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			use() // whatever is made once
			before, goroutines := heap(), runtime.NumGoroutine()
			began := time.Now()
			const count = 1000
			for range count {
				use()
			}
			t.Logf("%v each", time.Since(began)/count)
			if left := heap() - before; left > count*1000 {
				t.Errorf("%d bytes are left of %d fakes", left, count)
			}
			if now := runtime.NumGoroutine(); now > goroutines {
				t.Errorf("%d goroutines, and %d before", now, goroutines)
			}
		})
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func BenchmarkNewSimpleClientset(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		fake.NewSimpleClientset()
	}
}

func BenchmarkNewClientset(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		fake.NewClientset()
	}
}

func BenchmarkCreate(b *testing.B) {
	client := fake.NewSimpleClientset()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := client.CoreV1().Pods("default").Create(ctx, pod(fmt.Sprint("p", i)), metav1.CreateOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

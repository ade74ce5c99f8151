package podserver

import (
	"bytes"
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kwatch "k8s.io/apimachinery/pkg/watch"
	typedv1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"vedette.dev/bench/pods"
)

// watching begins a watch with all pods. What it says is read by client-go.
func watching(t *testing.T, p *Process, e pods.Encoding) kwatch.Interface {
	t.Helper()
	client, err := typedv1.NewForConfig(&rest.Config{
		Host: p.URL, ContentConfig: rest.ContentConfig{ContentType: e.ContentType(), AcceptContentTypes: e.ContentType()},
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := client.Pods("").Watch(context.Background(), metav1.ListOptions{
		SendInitialEvents: new(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return w
}

func expect(t *testing.T, w kwatch.Interface, kind kwatch.EventType) *corev1.Pod {
	t.Helper()
	select {
	case e := <-w.ResultChan():
		if pod, ok := e.Object.(*corev1.Pod); ok && e.Type == kind {
			return pod
		}
		t.Fatalf("an event %s with %v, want %s of a pod", e.Type, e.Object, kind)
	case <-time.After(30 * time.Second):
		t.Fatalf("no event %s", kind)
	}
	return nil
}

func same(t *testing.T, got *corev1.Pod, i, change int) {
	t.Helper()
	got.TypeMeta = metav1.TypeMeta{}
	if !apiequality.Semantic.DeepEqual(got, pods.Changed(i, change)) {
		t.Fatalf("pod %s is not as change %d of pod %d has left it", got.Name, change, i)
	}
}

func tell(t *testing.T, p *Process, o Order) Report {
	t.Helper()
	r, err := p.Tell(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWatch(t *testing.T) {
	const count = 50
	for _, e := range []pods.Encoding{pods.JSON, pods.Protobuf} {
		p, err := Start(count)
		if err != nil {
			t.Fatal(err)
		}
		w := watching(t, p, e)
		for i := range count {
			same(t, expect(t, w, kwatch.Added), i, 0)
		}
		if mark := expect(t, w, kwatch.Bookmark); mark.Annotations[metav1.InitialEventsAnnotationKey] != "true" || mark.ResourceVersion != "5000000000" {
			t.Errorf("the bookmark is %+v", mark.ObjectMeta)
		}
		if r := tell(t, p, Order{Update: &Update{Events: 2 * count, Rate: 100_000, Times: true}}); r.Changes != 2*count || len(r.Times) != 2*count {
			t.Errorf("%d changes at %d times", r.Changes, len(r.Times))
		}
		for n := 1; n <= 2*count; n++ {
			same(t, expect(t, w, kwatch.Modified), Spread(n, count), n)
		}

		tell(t, p, Order{ExpireOneIn: 10})
		if e := <-w.ResultChan(); e.Type != kwatch.Error || !apierrors.IsResourceExpired(apierrors.FromObject(e.Object)) {
			t.Fatalf("an event %s with %v, want the end", e.Type, e.Object)
		}
		w = watching(t, p, e)
		for range count - count/10 {
			expect(t, w, kwatch.Added)
		}
		expect(t, w, kwatch.Bookmark)
		last := tell(t, p, Order{Touch: true})
		same(t, expect(t, w, kwatch.Modified), 0, last.Changes)
		tell(t, p, Order{KeepOneIn: count / 2})
		for n := range count - count/10 - 2 {
			if pod := expect(t, w, kwatch.Deleted); n == 0 {
				same(t, pod, 1, last.Changes+1)
			}
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	}
}

func TestSpreadIsFair(t *testing.T) {
	for _, count := range []int{1, 50, 200, 1000, 10_000, 100_000} {
		seen := make([]bool, count)
		for n := 7; n < 7+count; n++ {
			if i := Spread(n, count); seen[i] {
				t.Fatalf("of %d pods, %d has its turn twice", count, i)
			} else {
				seen[i] = true
			}
		}
	}
}

// TestFramesAreAsAnAPIServerWritesThem compares the quick way with the one that everything else takes.
func TestFramesAreAsAnAPIServerWritesThem(t *testing.T) {
	enc, err := pods.NewEncoder(pods.Protobuf)
	if err != nil {
		t.Fatal(err)
	}
	f := &frames{enc: enc, e: pods.Protobuf}
	for i := 0; i < 2000; i += 50 {
		f.buf = f.buf[:0]
		f.podMessage(kwatch.Modified, i, i+1)
		want, err := f.message(kwatch.Modified, pods.Changed(i, i+1), "Pod")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(f.buf, want) {
			t.Fatalf("pod %d: other bytes than an API server's", i)
		}
	}
}

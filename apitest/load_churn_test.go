package apitest_test

import (
	"context"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
	"vedette.dev/internal/testsize"
)

// filledServer is one with pods, for a bubble or not.
func filledServer(t *testing.T, pods int) *apitest.Server {
	t.Helper()
	server := apitest.New(t, apitest.Config{InMemory: true, History: 100_000})
	if err := server.Fill(t.Context(), apitest.Load{Pods: pods, Namespaces: 5}); err != nil {
		t.Fatal(err)
	}
	return server
}

func startChurn(t *testing.T, server *apitest.Server, churn apitest.Churn) *apitest.Churner {
	t.Helper()
	c, err := server.Churn(t.Context(), churn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	return c
}

// What a client sees by list and watch is what is there in the end, through an hour of changes. The time is that of a bubble.
func TestChurnSeenByAWatch(t *testing.T) {
	long := testsize.Of(time.Hour, 10*time.Minute)
	changes := 2 * int64(long.Seconds())
	synctest.Test(t, func(t *testing.T) {
		server := filledServer(t, 200)
		client := clientset(t, server.RESTConfig())
		list, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]*corev1.Pod{}
		for i := range list.Items {
			seen[list.Items[i].Namespace+"/"+list.Items[i].Name] = &list.Items[i]
		}
		w, err := client.CoreV1().Pods("").Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion, TimeoutSeconds: new(int64(7200))})
		if err != nil {
			t.Fatal(err)
		}
		var watching sync.WaitGroup
		var stopping atomic.Bool
		events := map[watch.EventType]int64{}
		watching.Go(func() {
			for e := range w.ResultChan() {
				pod, ok := e.Object.(*corev1.Pod)
				if !ok {
					if !stopping.Load() { // a pipe that is closed in the middle of a read is an error
						t.Errorf("%s: %v, after %v", e.Type, e.Object, events)
					}
					return
				}
				events[e.Type]++
				if key := pod.Namespace + "/" + pod.Name; e.Type == watch.Deleted {
					delete(seen, key)
				} else {
					seen[key] = pod
				}
			}
		})
		churn := startChurn(t, server, apitest.Churn{Rate: 2, Mix: apitest.Mix{Updates: 5, Labels: 2, Creates: 2, Deletes: 2}})
		time.Sleep(long)
		churn.Stop()
		churn.Stop()
		synctest.Wait() // for what is under way
		stopping.Store(true)
		w.Stop()
		watching.Wait()

		stats := churn.Stats()
		if stats.Changes()+stats.Skipped < changes-1 || stats.Changes() > changes || stats.Skipped > 0 || stats.Conflicts > 0 {
			t.Errorf("%+v in %v, want %d changes", stats, long, changes)
		}
		if stats.MaxLate > time.Millisecond || math.Abs(stats.Rate-2) > 0.01 || stats.Elapsed != long {
			t.Errorf("pace: %+v", stats)
		}
		if stats.Updates < changes/4 || min(stats.Labels, stats.Creates, stats.Deletes) < changes/15 {
			t.Errorf("the mix is not what was asked for: %+v", stats)
		}
		if events[watch.Added] != stats.Creates || events[watch.Deleted] != stats.Deletes {
			t.Errorf("events %v for %+v", events, stats)
		}
		now, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(now.Items) != len(seen) || len(seen) < 195 || len(seen) > 205 {
			t.Errorf("%d pods are there and %d were seen; there were 200", len(now.Items), len(seen))
		}
		for i := range now.Items {
			pod := &now.Items[i]
			if !apiequality.Semantic.DeepEqual(seen[pod.Namespace+"/"+pod.Name], pod) {
				t.Fatalf("%s/%s is not what was seen last", pod.Namespace, pod.Name)
			}
		}
		server.Close()
	})
}

// Kubelets make pods that run, and restart what is in them.
func TestChurnWritesStatusesAsKubeletsDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := filledServer(t, 20)
		churn := startChurn(t, server, apitest.Churn{Rate: 10, Mix: apitest.Mix{Updates: 9, Creates: 1, Deletes: 1}})
		time.Sleep(10 * time.Minute)
		churn.Stop()
		pods, _, err := server.List(t.Context(), podResource, "")
		if err != nil {
			t.Fatal(err)
		}
		restarts, phases := 0, map[corev1.PodPhase]int{}
		for _, obj := range pods {
			pod := obj.(*corev1.Pod)
			phases[pod.Status.Phase]++
			for _, c := range pod.Status.ContainerStatuses {
				restarts += int(c.RestartCount)
				if c.RestartCount > 0 && c.LastTerminationState.Terminated == nil {
					t.Errorf("%s has restarted and does not say from what", pod.Name)
				}
			}
			if pod.Status.Phase == corev1.PodRunning && len(pod.Status.ContainerStatuses) != len(pod.Spec.Containers) {
				t.Errorf("%s runs %d of %d containers", pod.Name, len(pod.Status.ContainerStatuses), len(pod.Spec.Containers))
			}
		}
		if restarts == 0 || phases[corev1.PodRunning] < 10 || phases[corev1.PodRunning]+phases[corev1.PodPending] != len(pods) {
			t.Errorf("%d restarts, %v", restarts, phases)
		}
		server.Close()
	})
}

// Two writers of the same few pods: neither loses a change.
func TestChurnBesideAnotherWriter(t *testing.T) {
	server := filledServer(t, 3)
	pods, _, err := server.List(t.Context(), podResource, "")
	if err != nil {
		t.Fatal(err)
	}
	rate := 600.0
	if raceDetector {
		rate = 60 // or the writer below, which is slower then, never gets its turn
	}
	churn := startChurn(t, server, apitest.Churn{Rate: rate, Mix: apitest.Mix{Labels: 1}})
	writes := testsize.Of(200, 40)
	count := 0
	for range writes {
		for { // as clients do
			name := pods[0].(*corev1.Pod)
			obj, err := server.Get(t.Context(), podResource, name.Namespace, name.Name)
			if err != nil {
				t.Fatal(err)
			}
			pod := obj.(*corev1.Pod)
			if pod.Annotations == nil {
				pod.Annotations = map[string]string{}
			}
			pod.Annotations["count"] += "x"
			if _, err := server.Update(t.Context(), pod); err == nil {
				break
			}
			count++
		}
	}
	churn.Stop()
	obj, err := server.Get(t.Context(), podResource, pods[0].(*corev1.Pod).Namespace, pods[0].(*corev1.Pod).Name)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(obj.(*corev1.Pod).Annotations["count"]); got != writes {
		t.Errorf("%d of %d writes are there", got, writes)
	}
	t.Logf("conflicts: %d here, %d there", count, churn.Stats().Conflicts)
}

// It keeps pace: what it cannot do in time, it makes up for.
func TestChurnKeepsPace(t *testing.T) {
	rate := 5000.0
	if raceDetector || testing.Short() {
		rate = 500
	}
	server := filledServer(t, 2000)
	churn := startChurn(t, server, apitest.Churn{Rate: rate})
	time.Sleep(time.Second)
	churn.Stop()
	stats := churn.Stats()
	t.Logf("%+v", stats)
	if want := rate * (stats.Elapsed.Seconds() - stats.MaxLate.Seconds()) * 0.9; float64(stats.Changes()) < want {
		t.Errorf("%d changes in %v, want %.0f", stats.Changes(), stats.Elapsed, want)
	}
	if float64(stats.Changes()) > rate*stats.Elapsed.Seconds()+1 {
		t.Errorf("%d changes in %v are too many", stats.Changes(), stats.Elapsed)
	}
}

func TestChurnOfAPart(t *testing.T) {
	server := filledServer(t, 300)
	all, _, err := server.List(t.Context(), podResource, "")
	if err != nil {
		t.Fatal(err)
	}
	first := all[0].(*corev1.Pod)
	selector := labels.SelectorFromSet(labels.Set{"team": first.Labels["team"]})
	version := server.ResourceVersion()
	churn := startChurn(t, server, apitest.Churn{Rate: 2000, Namespace: first.Namespace, Selector: selector})
	for churn.Stats().Changes() < 300 {
		time.Sleep(time.Millisecond)
	}
	churn.Stop()
	client := clientset(t, server.RESTConfig())
	w, err := client.CoreV1().Pods("").Watch(t.Context(), metav1.ListOptions{ResourceVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	for range churn.Stats().Changes() {
		pod := (<-w.ResultChan()).Object.(*corev1.Pod)
		if pod.Namespace != first.Namespace || !selector.Matches(labels.Set(pod.Labels)) {
			t.Fatalf("%s/%s with labels %v was changed", pod.Namespace, pod.Name, pod.Labels)
		}
	}
}

func TestChurnOfOtherKinds(t *testing.T) {
	server := apitest.New(t, apitest.Config{InMemory: true})
	template := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "default"}, Data: map[string]string{"a": "b"}}
	if err := server.Fill(t.Context(), apitest.Load{Object: template, Count: 10}); err != nil {
		t.Fatal(err)
	}
	resource := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	churn := startChurn(t, server, apitest.Churn{Rate: 5000, Resource: resource})
	for churn.Stats().Changes() < 500 {
		time.Sleep(time.Millisecond)
	}
	churn.Stop()
	objs, _, err := server.List(t.Context(), resource, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, obj := range objs {
		if c := obj.(*corev1.ConfigMap); c.Data["a"] != "b" || c.UID == "" {
			t.Errorf("got %v", c)
		}
	}
	if len(objs) < 8 || len(objs) > 12 {
		t.Errorf("%d objects of 10", len(objs))
	}
}

func TestChurnEndsWithItsServerAndItsContext(t *testing.T) {
	server := filledServer(t, 10)
	ctx, cancel := context.WithCancel(t.Context())
	one, err := server.Churn(ctx, apitest.Churn{Rate: 100})
	if err != nil {
		t.Fatal(err)
	}
	other := startChurn(t, server, apitest.Churn{Rate: 100})
	cancel()
	one.Stop()
	before := one.Stats()
	server.Close()
	if after := one.Stats(); after != before {
		t.Errorf("it went on after its end: %+v, %+v", before, after)
	}
	ended := other.Stats()
	if again := other.Stats(); again != ended {
		t.Errorf("it goes on after Close: %+v, %+v", ended, again)
	}
	if _, err := server.Churn(t.Context(), apitest.Churn{Rate: 100}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a churn of a closed server: %v", err)
	}
}

func TestBadChurns(t *testing.T) {
	server := filledServer(t, 1)
	for want, churn := range map[string]apitest.Churn{
		"Churn.Rate is 0":                {},
		"Churn.Rate is -1":               {Rate: -1},
		"Churn.Rate is NaN":              {Rate: math.NaN()},
		"Churn.Rate is +Inf":             {Rate: math.Inf(1)},
		"Churn.Mix.Labels is negative":   {Rate: 1, Mix: apitest.Mix{Labels: -1}},
		"Churn.Mix.Deletes is negative":  {Rate: 1, Mix: apitest.Mix{Deletes: -1, Updates: 1}},
		"does not serve /v1":             {Rate: 1, Resource: schema.GroupVersionResource{Version: "v1", Resource: "gadgets"}},
		`in namespace "nowhere"`:         {Rate: 1, Namespace: "nowhere"},
		"there are no configmaps":        {Rate: 1, Resource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}},
		`with selector "team=none-such"`: {Rate: 1, Selector: labels.SelectorFromSet(labels.Set{"team": "none-such"})},
	} {
		c, err := server.Churn(t.Context(), churn)
		if err == nil {
			c.Stop()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// Without others to change, changes are skipped.
func TestChurnOfWhatIsGone(t *testing.T) {
	server := filledServer(t, 5)
	churn := startChurn(t, server, apitest.Churn{Rate: 10_000, Mix: apitest.Mix{Deletes: 1}})
	for churn.Stats().Skipped == 0 {
		time.Sleep(time.Millisecond)
	}
	churn.Stop()
	if stats := churn.Stats(); stats.Deletes != 5 {
		t.Errorf("%+v", stats)
	}
}

func BenchmarkChurn(b *testing.B) {
	server, err := apitest.Start(apitest.Config{InMemory: true})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	if err := server.Fill(b.Context(), apitest.Load{Pods: 10_000}); err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	churn, err := server.Churn(b.Context(), apitest.Churn{Rate: 1e9}) // as fast as it can
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		time.Sleep(time.Millisecond)
	}
	churn.Stop()
	b.ReportMetric(float64(churn.Stats().Changes())/time.Since(began).Seconds(), "changes/s")
}

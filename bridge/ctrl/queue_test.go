package ctrl_test

import (
	"testing"
	"time"

	clientgoworkqueue "k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"vedette.dev/bridge/ctrl"
)

func TestQueuesWithAndWithoutPriorities(t *testing.T) {
	limiter := clientgoworkqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Millisecond, time.Second)
	plain := ctrl.NewPlainQueue("plain", limiter)
	defer plain.ShutDown()
	if _, ok := plain.(priorityqueue.PriorityQueue[string]); ok {
		t.Error("the plain queue has priorities")
	}
	queue, ok := ctrl.NewQueue("fair", limiter).(priorityqueue.PriorityQueue[string])
	if !ok {
		t.Fatal("the fair queue has no priorities")
	}
	defer queue.ShutDown()
	low, high := -100, 10
	queue.AddWithOpts(priorityqueue.AddOpts{Priority: &low}, "low")
	queue.Add("usual")
	queue.AddWithOpts(priorityqueue.AddOpts{Priority: &high}, "high")
	queue.AddWithOpts(priorityqueue.AddOpts{After: time.Hour}, "late")
	for _, want := range []struct {
		item     string
		priority int
	}{{"high", high}, {"usual", 0}, {"low", low}} {
		item, priority, shutdown := queue.GetWithPriority()
		if item != want.item || priority != want.priority || shutdown {
			t.Errorf("%q with priority %d, want %q with %d", item, priority, want.item, want.priority)
		}
		queue.Done(item)
	}
	queue.AddRateLimited("usual")
	if n := queue.NumRequeues("usual"); n != 1 {
		t.Errorf("%d requeues, want 1", n)
	}
}

// TestMetricsOfQueues checks that the series of controller-runtime count what these queues do.
func TestMetricsOfQueues(t *testing.T) {
	for _, queue := range []clientgoworkqueue.TypedRateLimitingInterface[string]{
		ctrl.NewQueue[string]("metrics", nil), ctrl.NewPlainQueue[string]("metrics", nil),
	} {
		defer queue.ShutDown()
		queue.Add("a")
		queue.Add("b")
		item, _ := queue.Get()
		queue.Done(item)
		queue.AddAfter("c", time.Hour)
	}
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			for _, label := range m.GetLabel() {
				if label.GetName() == "name" && label.GetValue() == "metrics" {
					got[family.GetName()] += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
				}
			}
		}
	}
	for name, want := range map[string]float64{
		"workqueue_adds_total": 4, "workqueue_depth": 2, "workqueue_queue_duration_seconds": 2, "workqueue_work_duration_seconds": 2,
		"workqueue_retries_total": 2, "workqueue_unfinished_work_seconds": 0, "workqueue_longest_running_processor_seconds": 0,
	} {
		if value, ok := got[name]; !ok || value != want {
			t.Errorf("%s is %v (there: %v), want %v", name, value, ok, want)
		}
	}
}

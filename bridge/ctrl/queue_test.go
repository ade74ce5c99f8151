package ctrl_test

import (
	"fmt"
	"maps"
	"strings"
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

// TestMetricsOfQueues does the same with controller-runtime's queues and with those of this package, and compares the series that
// controller-runtime has of them.
func TestMetricsOfQueues(t *testing.T) {
	limiter := func() clientgoworkqueue.TypedRateLimiter[string] {
		return clientgoworkqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Hour, time.Hour)
	}
	for _, pair := range []struct {
		name        string
		stock, ours func(name string) clientgoworkqueue.TypedRateLimitingInterface[string]
	}{
		{"priorities", func(name string) clientgoworkqueue.TypedRateLimitingInterface[string] {
			return priorityqueue.New(name, func(o *priorityqueue.Opts[string]) { o.RateLimiter = limiter() })
		}, func(name string) clientgoworkqueue.TypedRateLimitingInterface[string] {
			return ctrl.NewQueue(name, limiter())
		}},
		{"plain", func(name string) clientgoworkqueue.TypedRateLimitingInterface[string] {
			return clientgoworkqueue.NewTypedRateLimitingQueueWithConfig(limiter(), clientgoworkqueue.TypedRateLimitingQueueConfig[string]{Name: name})
		}, func(name string) clientgoworkqueue.TypedRateLimitingInterface[string] {
			return ctrl.NewPlainQueue(name, limiter())
		}},
	} {
		t.Run(pair.name, func(t *testing.T) {
			stock, ours := pair.stock("stock "+pair.name), pair.ours("ours "+pair.name)
			defer stock.ShutDown()
			defer ours.ShutDown()
			for step, do := range queueSteps {
				do(stock)
				do(ours)
				if _, ok := stock.(priorityqueue.PriorityQueue[string]); ok {
					stock.Len() // it takes over what was added
				}
				want, got := seriesOf(t, "stock "+pair.name), seriesOf(t, "ours "+pair.name)
				if step == 0 && len(want) < 7 {
					t.Fatalf("controller-runtime has the series %v", want)
				}
				if !maps.Equal(got, want) {
					t.Fatalf("after step %d there are\n%v\nwant\n%v", step, got, want)
				}
			}
		})
	}
}

// queueSteps are things that happen to a queue.
var queueSteps = []func(clientgoworkqueue.TypedRateLimitingInterface[string]){
	func(q clientgoworkqueue.TypedRateLimitingInterface[string]) { q.Add("a") },
	func(q clientgoworkqueue.TypedRateLimitingInterface[string]) { q.Add("a"); q.Add("b") },
	withPriority(-100, "c", "d"),
	withPriority(10, "c"), // raised
	withPriority(-5, "c"), // not lowered
	func(q clientgoworkqueue.TypedRateLimitingInterface[string]) { q.AddAfter("late", time.Hour) },
	func(q clientgoworkqueue.TypedRateLimitingInterface[string]) { q.AddRateLimited("failed") },
	func(q clientgoworkqueue.TypedRateLimitingInterface[string]) { q.AddAfter("now", 0) },
	func(q clientgoworkqueue.TypedRateLimitingInterface[string]) { // again, while it is processed
		item, _ := q.Get()
		q.Add(item)
		withPriority(10, item)(q)
		q.Done(item)
	},
	func(q clientgoworkqueue.TypedRateLimitingInterface[string]) { withPriority(3, "late")(q) },
	func(q clientgoworkqueue.TypedRateLimitingInterface[string]) {
		for q.Len() > 0 {
			item, _ := q.Get()
			q.Forget(item)
			q.Done(item)
		}
	},
	func(q clientgoworkqueue.TypedRateLimitingInterface[string]) {
		for priority := range 20 { // with those above, 25 at most
			withPriority(100+priority, fmt.Sprint(priority))(q)
		}
	},
}

// withPriority adds keys with a priority to a queue that has priorities.
func withPriority(priority int, items ...string) func(clientgoworkqueue.TypedRateLimitingInterface[string]) {
	return func(q clientgoworkqueue.TypedRateLimitingInterface[string]) {
		if p, ok := q.(priorityqueue.PriorityQueue[string]); ok {
			p.AddWithOpts(priorityqueue.AddOpts{Priority: &priority}, items...)
		}
	}
}

// seriesOf returns the series of a queue without those that are times, and how many observations histograms have.
func seriesOf(t *testing.T, queue string) map[string]float64 {
	t.Helper()
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			series, of := family.GetName(), false
			for _, label := range m.GetLabel() {
				switch label.GetName() {
				case "name", "controller":
					of = of || label.GetValue() == queue
				default:
					series += fmt.Sprintf("{%s=%q}", label.GetName(), label.GetValue())
				}
			}
			if !of {
				continue
			}
			got[series] = m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
			if family.GetName() == "workqueue_depth" {
				got[series] = m.GetGauge().GetValue()
			}
		}
	}
	return got
}

// TestManyPriorities checks that priorities beyond the 25th share a series, which goes back to zero.
func TestManyPriorities(t *testing.T) {
	queue := ctrl.NewQueue[string]("many", nil)
	defer queue.ShutDown()
	const n = 30
	for priority := range n {
		withPriority(priority, fmt.Sprint(priority))(queue)
	}
	const others = `workqueue_depth{priority="exceeded_cardinality_limit"}`
	if got := seriesOf(t, "many"); got[others] != 5 || got[`workqueue_depth{priority="24"}`] != 1 {
		t.Errorf("there are %v", got)
	}
	for range n {
		item, _ := queue.Get()
		queue.Done(item)
	}
	for series, value := range seriesOf(t, "many") {
		if strings.HasPrefix(series, "workqueue_depth") && value != 0 {
			t.Errorf("%s is %v, want 0", series, value)
		}
	}
}

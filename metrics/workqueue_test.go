package metrics

import (
	"testing"
	"testing/synctest"
	"time"

	"vedette.dev/workqueue"
)

func newQueue(m *Metrics, name string) workqueue.TypedRateLimitingInterface[string] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Second, time.Minute),
		workqueue.TypedRateLimitingQueueConfig[string]{Name: name, MetricsProvider: m.Workqueue()})
}

func TestWorkqueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, registry := mustNew(t)
		q := newQueue(m, "pods")
		q.Add("a")
		q.Add("b")
		q.AddRateLimited("c")
		time.Sleep(100 * time.Millisecond)
		key, _ := q.Get()
		time.Sleep(time.Second + 50*time.Millisecond) // the gauges were brought up to date 150 ms ago
		q.Done(key)
		got, labels := gather(t, registry), `controller="pods",name="pods"`
		for family, v := range map[string]float64{
			"workqueue_depth":                             2,
			"workqueue_adds_total":                        3,
			"workqueue_retries_total":                     1,
			"workqueue_queue_duration_seconds":            1,
			"workqueue_work_duration_seconds":             1,
			"workqueue_unfinished_work_seconds":           0.9,
			"workqueue_longest_running_processor_seconds": 0.9,
		} {
			got.expect(t, family, map[string]float64{labels: v})
		}
		q.ShutDown()
		if got := gather(t, registry); len(got) != 0 {
			t.Errorf("after the queue has ended there are %v", got)
		}
	})
}

// Two queues of one name are shown as one, and none changes what the other shows when it ends.
func TestQueuesOfOneName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, registry := mustNew(t)
		first, second := newQueue(m, "pods"), newQueue(m, "pods")
		for _, key := range []string{"a", "b"} {
			first.Add(key)
			second.Add(key)
			first.Get()
		}
		second.Get()
		time.Sleep(600 * time.Millisecond)
		labels := `controller="pods",name="pods"`
		expect := func(depth, adds, unfinished, longest float64) {
			t.Helper()
			got := gather(t, registry)
			got.expect(t, "workqueue_depth", map[string]float64{labels: depth})
			got.expect(t, "workqueue_adds_total", map[string]float64{labels: adds})
			got.expect(t, "workqueue_unfinished_work_seconds", map[string]float64{labels: unfinished})
			got.expect(t, "workqueue_longest_running_processor_seconds", map[string]float64{labels: longest})
		}
		expect(1, 4, 1.5, 0.5)
		second.ShutDown()
		expect(0, 4, 1, 0.5)
		first.ShutDown()
		if got := gather(t, registry); len(got) != 0 {
			t.Errorf("after both have ended there are %v", got)
		}
		third := newQueue(m, "pods")
		defer third.ShutDown()
		expect(0, 0, 0, 0)
	})
}

func TestAFairQueueEndsToo(t *testing.T) {
	m, registry := mustNew(t)
	q, err := workqueue.NewFair(workqueue.FairConfig[string]{Name: "fair", MetricsProvider: m.Workqueue()})
	if err != nil {
		t.Fatal(err)
	}
	q.AddAfter("a", time.Hour)
	q.Add("b")
	if got := gather(t, registry); len(got) != 7 {
		t.Errorf("%v", got)
	}
	q.ShutDownWithDrain()
	if got := gather(t, registry); len(got) != 0 {
		t.Errorf("after the queue has ended there are %v", got)
	}
}

func TestMeasuringAllocatesNothing(t *testing.T) {
	m, _ := mustNew(t)
	p := m.Workqueue()
	depth, adds, waited := p.NewDepthMetric("q"), p.NewAddsMetric("q"), p.NewLatencyMetric("q")
	waited.Observe(0.5) // makes a bucket of the native histogram
	if n := testing.AllocsPerRun(100, func() {
		depth.Inc()
		adds.Inc()
		waited.Observe(0.5)
		depth.Dec()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

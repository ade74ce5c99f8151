package workqueue

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// recorder is a provider whose metrics record their calls.
type recorder struct {
	mu     sync.Mutex
	values map[string][]float64 // counters and gauges hold one value, histograms all observations
}

func newRecorder() *recorder { return &recorder{values: map[string][]float64{}} }

func (r *recorder) expect(t *testing.T, metric string, want ...float64) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if got := r.values[metric]; !slices.Equal(got, want) {
		t.Errorf("%s is %v, want %v", metric, got, want)
	}
}

type recorded struct {
	r    *recorder
	name string
}

func (m recorded) change(f func([]float64) []float64) {
	m.r.mu.Lock()
	defer m.r.mu.Unlock()
	m.r.values[m.name] = f(m.r.values[m.name])
}

func (m recorded) add(n float64) {
	m.change(func(v []float64) []float64 { return []float64{append(v, 0)[0] + n} })
}
func (m recorded) Inc()              { m.add(1) }
func (m recorded) Dec()              { m.add(-1) }
func (m recorded) Set(n float64)     { m.change(func([]float64) []float64 { return []float64{n} }) }
func (m recorded) Observe(n float64) { m.change(func(v []float64) []float64 { return append(v, n) }) }

func (r *recorder) NewDepthMetric(name string) GaugeMetric     { return recorded{r, name + " depth"} }
func (r *recorder) NewAddsMetric(name string) CounterMetric    { return recorded{r, name + " adds"} }
func (r *recorder) NewRetriesMetric(name string) CounterMetric { return recorded{r, name + " retries"} }
func (r *recorder) NewLatencyMetric(name string) HistogramMetric {
	return recorded{r, name + " latency"}
}
func (r *recorder) NewWorkDurationMetric(name string) HistogramMetric {
	return recorded{r, name + " work"}
}
func (r *recorder) NewUnfinishedWorkSecondsMetric(name string) SettableGaugeMetric {
	return recorded{r, name + " unfinished"}
}
func (r *recorder) NewLongestRunningProcessorSecondsMetric(name string) SettableGaugeMetric {
	return recorded{r, name + " longest"}
}

func TestMetricsOfEveryKindOfQueue(t *testing.T) {
	for _, k := range queueKinds {
		t.Run(k.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRecorder()
				q := k.make(setup{name: "q", provider: r})
				defer q.ShutDown()
				q.Add("a")
				q.Add("a")
				q.Add("b")
				r.expect(t, "q adds", 2)
				r.expect(t, "q depth", 2)
				time.Sleep(time.Second)
				expect(t, q, "a")
				r.expect(t, "q depth", 1)
				r.expect(t, "q latency", 1)
				time.Sleep(time.Second)
				expect(t, q, "b")
				r.expect(t, "q latency", 1, 2)
				time.Sleep(time.Second + 100*time.Millisecond)
				r.expect(t, "q unfinished", 3) // two seconds of a and one of b, as of 100 ms ago
				r.expect(t, "q longest", 2)
				q.Done("a")
				r.expect(t, "q work", 2.1)
				time.Sleep(400 * time.Millisecond)
				synctest.Wait()
				r.expect(t, "q unfinished", 1.5)
				r.expect(t, "q longest", 1.5)
			})
		})
	}
}

func TestAddWhileProcessingCountsOnceAndWaitsFromThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		q := NewTypedWithConfig(TypedQueueConfig[string]{Name: "q", MetricsProvider: r})
		defer q.ShutDown()
		q.Add("a")
		expect(t, q, "a")
		q.Add("a")
		q.Add("a")
		r.expect(t, "q adds", 2)
		r.expect(t, "q depth", 1)
		time.Sleep(time.Second)
		q.Done("a")
		r.expect(t, "q depth", 1)
		time.Sleep(time.Second)
		expect(t, q, "a")
		r.expect(t, "q depth", 0)
		r.expect(t, "q latency", 0, 2)
		q.Done("unknown")
		r.expect(t, "q work", 1)
	})
}

func TestEveryAddAfterCountsOneRetry(t *testing.T) {
	for _, k := range queueKinds[2:5] {
		synctest.Test(t, func(t *testing.T) {
			r := newRecorder()
			q := k.make(setup{name: "q", provider: r}).(TypedDelayingInterface[string])
			q.AddAfter("a", 0)
			q.AddAfter("a", time.Second)
			q.AddAfter("a", -1)
			r.expect(t, "q retries", 3)
			if l, ok := q.(TypedRateLimitingInterface[string]); ok {
				l.AddRateLimited("a")
				r.expect(t, "q retries", 4)
			}
			q.ShutDown()
			q.AddAfter("a", 0)
			if _, ok := q.(TypedRateLimitingInterface[string]); !ok {
				r.expect(t, "q retries", 3)
			}
		})
	}
}

// The global provider is put back, so that no other test finds it set.
func TestFirstSetProviderWinsForQueuesMadeLater(t *testing.T) {
	globalProvider.Lock()
	was := globalProvider.provider
	globalProvider.provider = nil
	globalProvider.Unlock()
	defer func() {
		globalProvider.Lock()
		globalProvider.provider = was
		globalProvider.Unlock()
	}()

	early := NewNamed("early")
	first, second, own := newRecorder(), newRecorder(), newRecorder()
	SetProvider(first)
	SetProvider(second)
	late, nameless := NewNamed("late"), New()
	configured := NewWithConfig(QueueConfig{Name: "configured", MetricsProvider: own})
	for _, q := range []*Type{early, late, nameless, configured} {
		q.Add("a")
		q.ShutDown()
	}
	first.expect(t, "late adds", 1)
	own.expect(t, "configured adds", 1)
	if len(first.values) != 2 || len(second.values) != 0 { // adds and depth of one queue
		t.Errorf("first %v, second %v", first.values, second.values)
	}
}

// byPriority is a recorder whose depth is one for each priority.
type byPriority struct{ *recorder }

func (r byPriority) NewDepthMetric(name string) GaugeMetric {
	return recordedByPriority{recorded{r.recorder, name + " depth"}}
}

type recordedByPriority struct{ recorded }

func (m recordedByPriority) of(priority int) recorded {
	return recorded{m.r, fmt.Sprintf("%s %d", m.name, priority)}
}

func (m recordedByPriority) IncPriority(priority int) { m.of(priority).Inc() }
func (m recordedByPriority) DecPriority(priority int) { m.of(priority).Dec() }

func TestDepthByPriority(t *testing.T) {
	r := newRecorder()
	q, err := NewFair(FairConfig[string]{Name: "q", MetricsProvider: byPriority{r}})
	if err != nil {
		t.Fatal(err)
	}
	defer q.ShutDown()
	low, high := -100, 10
	q.AddWithOpts(AddOpts{Priority: &low}, "a", "b", "c")
	r.expect(t, "q depth -100", 3)
	q.AddWithOpts(AddOpts{Priority: &high}, "a") // raised while it is ready
	q.Add("b")
	r.expect(t, "q depth -100", 1)
	r.expect(t, "q depth 0", 1)
	r.expect(t, "q depth 10", 1)
	key, priority, _ := q.GetWithPriority()
	if key != "a" || priority != high {
		t.Errorf("%q with priority %d, want a with %d", key, priority, high)
	}
	r.expect(t, "q depth 10", 0)
	q.AddWithOpts(AddOpts{Priority: &low}, "a") // while it is processing
	r.expect(t, "q depth -100", 2)
	q.AddWithOpts(AddOpts{Priority: &high}, "a")
	r.expect(t, "q depth -100", 1)
	r.expect(t, "q depth 10", 1)
	q.Done("a")
	for range 3 {
		key, _ := q.Get()
		q.Done(key)
	}
	for _, priority := range []string{"-100", "0", "10"} {
		r.expect(t, "q depth "+priority, 0)
	}
	r.expect(t, "q depth") // Inc and Dec were not called
	r.expect(t, "q adds", 4)
}

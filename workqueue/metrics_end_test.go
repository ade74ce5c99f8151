package workqueue

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
)

// mortal is a provider whose metrics have an end, and complain of what comes after it.
type mortal struct {
	mu     sync.Mutex
	open   map[string]int // by metric
	closed int
	late   []string
}

func (p *mortal) make(name string) *mortalMetric {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[name]++
	return &mortalMetric{p: p, name: name}
}

type mortalMetric struct {
	p     *mortal
	name  string
	ended bool
}

func (m *mortalMetric) use() {
	m.p.mu.Lock()
	defer m.p.mu.Unlock()
	if m.ended {
		m.p.late = append(m.p.late, m.name)
	}
}

func (m *mortalMetric) Close() {
	m.use()
	m.p.mu.Lock()
	defer m.p.mu.Unlock()
	m.ended = true
	m.p.closed++
	if m.p.open[m.name]--; m.p.open[m.name] == 0 {
		delete(m.p.open, m.name)
	}
}
func (m *mortalMetric) Inc()            { m.use() }
func (m *mortalMetric) Dec()            { m.use() }
func (m *mortalMetric) Set(float64)     { m.use() }
func (m *mortalMetric) Observe(float64) { m.use() }

func (p *mortal) NewDepthMetric(string) GaugeMetric            { return p.make("depth") }
func (p *mortal) NewAddsMetric(string) CounterMetric           { return p.make("adds") }
func (p *mortal) NewLatencyMetric(string) HistogramMetric      { return p.make("latency") }
func (p *mortal) NewWorkDurationMetric(string) HistogramMetric { return p.make("work") }
func (p *mortal) NewRetriesMetric(string) CounterMetric        { return p.make("retries") }
func (p *mortal) NewUnfinishedWorkSecondsMetric(string) SettableGaugeMetric {
	return p.make("unfinished")
}
func (p *mortal) NewLongestRunningProcessorSecondsMetric(string) SettableGaugeMetric {
	return p.make("longest")
}

func (p *mortal) expect(t *testing.T, open, closed int) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.open) != open || p.closed != closed || len(p.late) != 0 {
		t.Errorf("open %v, closed %d, used after their end %v; want %d open, %d closed", p.open, p.closed, p.late, open, closed)
	}
}

func TestMetricsEndWithTheirQueue(t *testing.T) {
	for _, k := range queueKinds {
		t.Run(k.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &mortal{open: map[string]int{}}
				q := k.make(setup{name: "q", provider: p})
				p.mu.Lock()
				all := len(p.open)
				p.mu.Unlock()
				q.Add("a")
				q.Add("b")
				expect(t, q, "a")
				p.expect(t, all, 0)
				q.ShutDown()
				p.expect(t, 0, all)
				// What is left is handed out, and not measured.
				expect(t, q, "b")
				q.Done("a")
				q.Done("b")
				q.ShutDown()
				q.ShutDownWithDrain()
				p.expect(t, 0, all)
			})
		})
	}
}

func TestMetricsLastUntilTheQueueIsDrained(t *testing.T) {
	for _, k := range queueKinds {
		t.Run(k.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &mortal{open: map[string]int{}}
				q := k.make(setup{name: "q", provider: p})
				p.mu.Lock()
				all := len(p.open)
				p.mu.Unlock()
				q.Add("a")
				expect(t, q, "a")
				var draining sync.WaitGroup
				for range 2 {
					draining.Go(q.ShutDownWithDrain)
				}
				synctest.Wait()
				p.expect(t, all, 0)
				q.Done("a")
				draining.Wait()
				p.expect(t, 0, all)
			})
		})
	}
}

// Workers and producers go on while the queue shuts down.
func TestNoMetricIsUsedAfterItsEnd(t *testing.T) {
	for _, k := range queueKinds {
		p := &mortal{open: map[string]int{}}
		q := k.make(setup{name: "q", provider: p})
		var busy sync.WaitGroup
		for w := range 2 {
			busy.Go(func() {
				for i := 0; !q.ShuttingDown(); i++ {
					q.Add(fmt.Sprint(w, i%100))
				}
			})
			busy.Go(func() {
				for {
					key, shutdown := q.Get()
					if shutdown {
						return
					}
					q.Done(key)
				}
			})
		}
		for q.Len() == 0 {
		}
		q.ShutDown()
		busy.Wait()
		p.expect(t, 0, p.closed)
	}
}

package console

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"vedette.dev/controller"
)

// Reconciles measures the duration of reconciles. Use it as the Metrics of controllers; it forwards all calls to Next:
//
//	reconciles := &console.Reconciles{Next: m.Reconcile()}   // of package metrics, or nil
//	controller.Config[K]{..., Metrics: reconciles}
//	console.Config{..., Reconciles: reconciles}
//
// It increments one counter for each reconcile, with or without viewers. The zero value works.
type Reconciles struct {
	// Next receives the same calls. It may be nil.
	Next controller.Metrics

	mu  sync.Mutex
	all map[string]*durations // by the name of the controller, while it runs
}

// NewControllerMetrics implements controller.Metrics.
func (r *Reconciles) NewControllerMetrics(name string, workers int) controller.ControllerMetrics {
	m := &measured{owner: r, name: name, durations: &durations{}}
	if r.Next != nil {
		m.next = r.Next.NewControllerMetrics(name, workers)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[string]*durations{}
	}
	r.all[name] = m.durations
	return m
}

// read copies the counters of a controller, and reports whether there are any.
func (r *Reconciles) read(name string, into *histogram) bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	d := r.all[name]
	r.mu.Unlock()
	if d == nil {
		return false
	}
	for i := range d {
		into[i] = d[i].Load()
	}
	return true
}

// measured counts the reconciles of one controller.
type measured struct {
	owner     *Reconciles
	name      string
	durations *durations
	next      controller.ControllerMetrics
}

func (m *measured) Began() {
	if m.next != nil {
		m.next.Began()
	}
}

func (m *measured) Ended(outcome controller.Outcome, took time.Duration) {
	m.durations[bucket(took)].Add(1)
	if m.next != nil {
		m.next.Ended(outcome, took)
	}
}

func (m *measured) Close() {
	m.owner.mu.Lock()
	if m.owner.all[m.name] == m.durations {
		delete(m.owner.all, m.name)
	}
	m.owner.mu.Unlock()
	if m.next != nil {
		m.next.Close()
	}
}

// Every fourth bucket doubles the duration, so that a quantile is accurate to 19 %. The first bucket ends at 10 µs, the
// last one is above half an hour.
const (
	buckets   = 112
	perDouble = 4
	firstEnds = 10 * time.Microsecond
)

type (
	durations [buckets]atomic.Uint64
	histogram [buckets]uint64
)

func bucket(d time.Duration) int {
	if d <= firstEnds {
		return 0
	}
	return min(buckets-1, int(math.Ceil(perDouble*math.Log2(float64(d)/float64(firstEnds)))))
}

// ends returns the upper bound of a bucket.
func ends(i int) time.Duration {
	return time.Duration(float64(firstEnds) * math.Exp2(float64(i)/perDouble))
}

// since returns the difference to an older reading. A controller that was restarted counts from zero.
func (h *histogram) since(old *histogram) (diff histogram, total uint64) {
	for i := range h {
		if diff[i] = h[i]; h[i] >= old[i] {
			diff[i] -= old[i]
		}
		total += diff[i]
	}
	return diff, total
}

// quantile returns the q-quantile of the durations, or NaN if there are none.
func (h *histogram) quantile(q float64, total uint64) time.Duration {
	want, seen := uint64(math.Ceil(q*float64(total))), uint64(0)
	for i, n := range h {
		if seen += n; seen >= want && n > 0 {
			return ends(i)
		}
	}
	return 0
}

package sharding

import (
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/bench/harness"
	"vedette.dev/shard"
)

// The figures of tenants beside a noisy one.
const (
	p50Quiet = "p50 of a quiet tenant"
	p99Quiet = "p99 of a quiet tenant"
	unheard  = "not heard of, %"
	noiseMax = "changes/s of the noisy one"
)

// noisy is a tenant that changes without pause, beside nine that do now and then. Each change of those is timed until the
// handler is called.
type noisy struct {
	*running
	noise  noise
	report report
	err    error

	mu    sync.Mutex
	heard map[int][]arrival // of quiet tenants, by object
	ended int64
}

// arrival is when a change was heard of.
type arrival struct{ written, at int64 }

func newNoisy(needs time.Duration, source shard.Source) func(harness.Config) (harness.Trial, error) {
	return func(c harness.Config) (harness.Trial, error) {
		s := spec{Objects: tenants * c.Size(1000, 20), Namespaces: tenants, Selects: true, History: 4_000_000}
		r, err := prepare(c.Side, s, source)
		if err != nil {
			return nil, err
		}
		n := &noisy{running: r, heard: map[int][]arrival{}, noise: noise{
			Quiet: c.Window(5*time.Second, 100*time.Millisecond), Rate: 20, After: c.Window(time.Second, 50*time.Millisecond),
		}}
		r.view.needs, r.view.arrive = needs, n.arrive
		if err := r.start(); err != nil {
			return nil, r.end(err)
		}
		return n, nil
	}
}

// arrive is called by the handlers.
func (n *noisy) arrive(index int, pod *corev1.Pod) {
	if index%tenants == 0 {
		return // the noisy one
	}
	now := time.Now().UnixNano()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.heard[index] = append(n.heard[index], arrival{writtenOf(pod), now})
}

func (n *noisy) Ops() int { return max(1, len(n.report.Quiet)) }

func (n *noisy) Run() {
	n.report, n.err = n.server.tell(order{Noise: &n.noise})
	n.ended = time.Now().UnixNano()
}

func (n *noisy) Finish() (harness.Sample, error) {
	late, missing := n.lateness()
	err := n.err
	if err == nil && len(late) == 0 {
		err = errors.New("no quiet tenant has changed")
	}
	if err = n.end(err); err != nil {
		return nil, err
	}
	return harness.Sample{
		p50Quiet: percentile(late, 0.50),
		p99Quiet: percentile(late, 0.99),
		unheard:  100 * float64(missing) / float64(len(late)),
		noiseMax: float64(n.report.Written) / (n.noise.Quiet + n.noise.After).Seconds(),
	}, nil
}

// lateness is how late each change of a quiet tenant was, sorted. One that was not heard of while the noise lasted was at least
// as late as its end.
func (n *noisy) lateness() (late []time.Duration, missing int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.report.Quiet {
		at := n.ended
		for _, a := range n.heard[c.Index] {
			if a.written >= c.Written { // one that is later took the place of those before
				at = a.at
				break
			}
		}
		if at >= n.ended {
			missing, at = missing+1, n.ended
		}
		late = append(late, time.Duration(at-c.Written))
	}
	slices.Sort(late)
	return late, missing
}

// percentile is the smallest value that the given share of the sorted values does not exceed.
func percentile(sorted []time.Duration, share float64) float64 {
	rank := int(math.Ceil(share * float64(len(sorted))))
	return float64(sorted[max(0, rank-1)])
}

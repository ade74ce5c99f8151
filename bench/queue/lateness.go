package queue

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"vedette.dev/bench/harness"
)

// The figures that workloads with a distribution report.
const (
	p50Late = "p50 lateness"
	p99Late = "p99 lateness"
)

// lateness compares when each key was due with when a worker got it. Delayed keys come in an
// order of their own, so to look anything up by key while the clock runs would cost a cache
// miss each time: workers only write down what came when, each in a log of its own.
type lateness struct {
	start time.Time
	due   []time.Duration // since start, by key
	logs  []arrivals      // by worker
}

// arrivals is what one worker got.
type arrivals struct {
	index []uint32
	at    []time.Duration
	n     atomic.Int64
	_     [64]byte // keeps the counters of two workers off one cache line
}

func newLateness(keys, workers int) *lateness {
	l := &lateness{due: make([]time.Duration, keys), logs: make([]arrivals, workers)}
	for w := range l.logs {
		l.logs[w].index = make([]uint32, keys)
		l.logs[w].at = make([]time.Duration, keys)
	}
	return l
}

// promise notes that a key will be due after a delay from now.
func (l *lateness) promise(index int, delay time.Duration) {
	l.due[index] = time.Since(l.start) + delay
}

// arrive notes that a worker got the key. A key that comes too often is caught by sample.
func (l *lateness) arrive(worker, index int) {
	a := &l.logs[worker]
	if n := a.n.Load(); n < int64(len(a.index)) {
		a.index[n], a.at[n] = uint32(index), time.Since(l.start)
	}
	a.n.Add(1)
}

// wait returns when as many keys as there are have arrived.
func (l *lateness) wait() {
	for {
		arrived := int64(0)
		for w := range l.logs {
			arrived += l.logs[w].n.Load()
		}
		if arrived >= int64(len(l.due)) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// sample sorts what was seen. A key that came before it was due, not at all or twice is an
// error.
func (l *lateness) sample() (harness.Sample, error) {
	times := make([]int, len(l.due))
	late := make([]time.Duration, 0, len(l.due))
	for w := range l.logs {
		a := &l.logs[w]
		for i := range min(a.n.Load(), int64(len(a.index))) {
			key := a.index[i]
			times[key]++
			late = append(late, a.at[i]-l.due[key])
			if a.at[i] < l.due[key] {
				return nil, fmt.Errorf("key %s came %v before it was due", keyOf(int(key)), l.due[key]-a.at[i])
			}
		}
	}
	for key, n := range times {
		if n != 1 {
			return nil, fmt.Errorf("key %s was handed out %d times, want 1", keyOf(key), n)
		}
	}
	slices.Sort(late)
	return harness.Sample{
		p50Late: float64(percentile(late, 0.50)),
		p99Late: float64(percentile(late, 0.99)),
	}, nil
}

// percentile is the smallest value that the given share of the sorted values does not exceed.
func percentile(sorted []time.Duration, share float64) time.Duration {
	rank := int(math.Ceil(share * float64(len(sorted))))
	return sorted[max(0, rank-1)]
}

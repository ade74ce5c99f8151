package reconcile

import (
	"math"
	"slices"
	"sync/atomic"
	"time"

	"vedette.dev/bench/harness"
)

// The figures of a controller that is not busy.
const (
	p50Late = "p50 from event to reconcile"
	p99Late = "p99 from event to reconcile"
)

const (
	latencyRate   = 5_000 // events a second
	latencyEvents = 5 * latencyRate
)

// latency is changes at a steady rate, each of another object. Each is timed until its reconcile begins.
type latency struct {
	*running
	round []object
	phase *phase

	began time.Time
	// sent is when, since began, and late how much later the reconcile came, by object. No two workers should ever have the same,
	// but that is what the phase finds out.
	sent, late []atomic.Int64
}

func newLatency(c harness.Config) (harness.Trial, error) {
	objects := newObjects(c.Size(keys, fewKeys))
	l := &latency{
		round: newRound(objects, 1, c.Size(latencyEvents, fewKeys)),
		sent:  make([]atomic.Int64, len(objects)),
		late:  make([]atomic.Int64, len(objects)),
	}
	l.phase = newPhase(len(objects), l.round)
	var err error
	l.running, err = started(c.Side, objects, &crew{looks: true})
	return l, err
}

func (l *latency) Ops() int { return len(l.round) }

// nap is how long the sender sleeps when it is ahead. What is due by then is sent at once, as events come in small bursts from a
// real server, too.
const nap = 200 * time.Microsecond

// await waits until it is time for what is due so long after the beginning.
func await(began time.Time, due time.Duration) {
	for time.Since(began) < due {
		time.Sleep(nap)
	}
}

func (l *latency) Run() {
	l.heard = l.arrive
	l.begin(l.phase)
	l.began = time.Now()
	for i := range l.round {
		await(l.began, time.Duration(i)*time.Second/latencyRate)
		o := &l.round[i]
		l.sent[o.index].Store(int64(time.Since(l.began)))
		select {
		case l.changes <- o.event():
		case <-l.phase.done: // too early: Finish finds out why
			return
		}
	}
	_ = l.phase.wait(l.phaseTimeout)
}

// arrive is called by the workers.
func (l *latency) arrive(index int) {
	l.late[index].Store(int64(time.Since(l.began)) - l.sent[index].Load())
}

func (l *latency) Finish() (harness.Sample, error) {
	if err := l.end(); err != nil {
		return nil, err
	}
	all := make([]time.Duration, len(l.round))
	for i := range l.round {
		all[i] = time.Duration(l.late[l.round[i].index].Load())
	}
	slices.Sort(all)
	return harness.Sample{p50Late: percentile(all, 0.50), p99Late: percentile(all, 0.99)}, nil
}

// percentile is the smallest value that the given share of the sorted values does not exceed.
func percentile(sorted []time.Duration, share float64) float64 {
	rank := int(math.Ceil(share * float64(len(sorted))))
	return float64(sorted[max(0, rank-1)])
}

package queue

import (
	"slices"
	"sync"
	"time"

	"vedette.dev/bench/harness"
)

// The figures of single calls.
const (
	p50Add = "p50 of Add"
	p99Add = "p99 of Add"
)

// busy times single Adds on a queue that is already long, while every worker is held up.
type busy struct {
	queue   workQueue
	more    []string // the keys whose Adds are timed
	took    []time.Duration
	tally   *tally
	release chan struct{} // closed when the workers may go on
	crew    crew
}

func newBusy(q workQueue, c harness.Config) *busy {
	const workers = 1000
	queued, more := c.Size(1_000_000, 2*workers), c.Size(200_000, 1000)
	keys := makeKeys(queued + more)
	b := &busy{
		queue:   q,
		more:    keys[queued:],
		took:    make([]time.Duration, more),
		tally:   newTally(len(keys), len(keys)),
		release: make(chan struct{}),
	}
	for _, key := range keys[:queued] {
		q.Add(key)
	}
	b.holdUp(workers)
	return b
}

// holdUp starts the workers and returns when each has a key in its hands and waits.
func (b *busy) holdUp(workers int) {
	var waiting sync.WaitGroup
	waiting.Add(workers)
	first := make(chan struct{}, workers)
	for range workers {
		first <- struct{}{}
	}
	b.crew.start(workers, b.queue, func(_ int, key string) {
		select {
		case <-first:
			waiting.Done()
			<-b.release
		default:
		}
		b.queue.Done(key)
		b.tally.note(indexOf(key))
	})
	waiting.Wait()
}

func (b *busy) Ops() int { return len(b.more) }

func (b *busy) Run() {
	last := time.Now()
	for i, key := range b.more {
		b.queue.Add(key)
		now := time.Now()
		b.took[i] = now.Sub(last)
		last = now
	}
}

func (b *busy) Finish() (harness.Sample, error) {
	close(b.release)
	<-b.tally.all
	b.crew.dismiss(b.queue)
	slices.Sort(b.took)
	return harness.Sample{
		p50Add: float64(percentile(b.took, 0.50)),
		p99Add: float64(percentile(b.took, 0.99)),
	}, b.tally.once()
}

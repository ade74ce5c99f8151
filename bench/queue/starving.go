package queue

import (
	"fmt"
	"sync/atomic"
	"time"

	"vedette.dev/bench/harness"
)

// timeToStart is how long a key waits for a worker.
const timeToStart = "time to start"

const starvingWorkers = 10

// starving has one tenant with a long queue and slow work, and measures how long the single
// key of another tenant waits. In a FIFO it would wait for the whole queue.
type starving struct {
	queue   workQueue
	crowd   int    // keys of the first tenant, with the indexes below this one
	late    string // the other tenant's key, with the next index
	tally   *tally
	steady  chan struct{} // closed when all workers have been busy for a while
	handled atomic.Int64
	hurry   atomic.Bool // set when the work need not be slow any more
	added   time.Time
	waited  chan time.Duration
	result  time.Duration
	crew    crew
}

func newStarving(q workQueue, c harness.Config) *starving {
	crowd := c.Size(100_000, 1000)
	s := &starving{
		queue:  q,
		crowd:  crowd,
		late:   tenantKey("tenant-b", crowd),
		tally:  newTally(crowd+1, crowd+1),
		steady: make(chan struct{}),
		waited: make(chan time.Duration, 1),
	}
	for i := range crowd {
		q.Add(tenantKey("tenant-a", i))
	}
	return s
}

func tenantKey(tenant string, index int) string {
	return fmt.Sprintf("%s/deployment-name-%0*d", tenant, indexDigits, index)
}

func (s *starving) Ops() int { return 1 }

func (s *starving) Run() {
	s.crew.start(starvingWorkers, s.queue, s.handle)
	<-s.steady
	s.added = time.Now()
	s.queue.Add(s.late)
	s.result = <-s.waited
}

func (s *starving) handle(_ int, key string) {
	if key == s.late {
		s.waited <- time.Since(s.added)
	}
	if s.handled.Add(1) == 3*starvingWorkers {
		close(s.steady)
	}
	if !s.hurry.Load() {
		time.Sleep(10 * time.Millisecond)
	}
	s.queue.Done(key)
	s.tally.note(indexOf(key))
}

func (s *starving) Finish() (harness.Sample, error) {
	s.hurry.Store(true)
	<-s.tally.all
	s.crew.dismiss(s.queue)
	return harness.Sample{timeToStart: float64(s.result)}, s.tally.once()
}

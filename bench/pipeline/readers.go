package pipeline

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"vedette.dev/bench/harness"
)

// The figures of an informer whose store is read all the time.
const (
	p50Event = "p50 from event to handler"
	p99Event = "p99 from event to handler"
	anEvent  = "time for an event" // as many as were heard while there were readers
	aRead    = "time for a read"   // so that one can see that the readers did not pay for it
)

// readerPause is between two reads of a reader. Without it there would be no processor left for the informer, and the
// scheduler would be measured.
const readerPause = 100 * time.Millisecond

// readersWindow is for how long there are readers. It cannot be a number of events: client-go might never get there.
const readersWindow = 5 * time.Second

// readers is an informer whose store is listed and looked into by many, while events come at a steady rate. A handler is called when the event is in the store, so what it measures is a little more than that took.
type readers struct {
	*running
	objects []*thing
	changes *changes
	paced   *paced
	view    *view
	number  int // of readers

	reads   atomic.Int64
	reading atomic.Int64 // how long the reads took
	bad     atomic.Pointer[error]
}

func newReaders(number, rate int) func(harness.Config) (harness.Trial, error) {
	return func(c harness.Config) (harness.Trial, error) {
		r := &readers{objects: newThings(c.Size(100_000, 1000)), number: number}
		r.changes = newChanges(r.objects, c.Size(100_000, 4000), 0)
		r.paced = newPaced(r.changes.events, rate, false)
		r.paced.window = c.Window(readersWindow, 200*time.Millisecond)
		r.view = newView(r.changes.final)
		r.view.heard = r.paced.arrive
		var err error
		r.running, err = start(c.Side, newSource(r.objects), false, r.view)
		return r, err
	}
}

func (r *readers) Ops() int { return len(r.changes.events) }

func (r *readers) Run() {
	var all sync.WaitGroup
	var stop atomic.Bool
	for i := range r.number {
		all.Go(func() {
			for n := i; !stop.Load(); n++ {
				began := time.Now()
				r.read(n)
				r.reading.Add(int64(time.Since(began)))
				time.Sleep(readerPause)
			}
		})
	}
	r.paced.run(r.running.changes)
	stop.Store(true)
	all.Wait()
	r.paced.rest(r.running.changes)
	<-r.view.done
}

// read takes turns between the whole list and a namespace.
func (r *readers) read(n int) {
	if n%2 == 0 {
		r.found(len(r.store().List()), len(r.objects), nil)
		return
	}
	got, err := r.store().ByIndex(namespaceIndex, namespaceOf(n, len(r.objects)))
	r.found(len(got), perNamespace, err)
}

func (r *readers) found(got, want int, err error) {
	r.reads.Add(1)
	if err == nil && got != want {
		err = fmt.Errorf("%d objects read, want %d", got, want)
	}
	if err != nil {
		r.bad.Store(&err)
	}
}

func (r *readers) Finish() (harness.Sample, error) {
	r.end()
	if err := r.bad.Load(); err != nil {
		return nil, *err
	}
	if err := r.view.check(); err != nil {
		return nil, err
	}
	return harness.Sample{
		p50Event: r.paced.percentile(0.50),
		p99Event: r.paced.percentile(0.99),
		anEvent:  float64(r.paced.window) / float64(max(1, len(r.paced.late))),
		aRead:    float64(r.reading.Load()) / float64(r.reads.Load()),
	}, checkStore(r.store(), r.objects, r.changes.final)
}

package pipeline

import (
	"fmt"
	"sync/atomic"
	"time"

	"vedette.dev/bench/harness"
)

// The figures of a slow handler.
const (
	heldAKey   = "held a key"                // heap that is reachable at the end of the events, beyond that before, by object
	afterwards = "calls a key when released" // of the slow handler
	p50Late    = "p50 of the other"
	p99Late    = "p99 of the other"
	p50Change  = "p50 of the other, to that alone"
	p99Change  = "p99 of the other, to that alone"
	slowNeeds  = time.Millisecond
	slowRate   = 30_000
	slowKeys   = 10_000
	slowEvents = 300_000
	slowGone   = 1_000
)

// slow is a handler that needs a millisecond for each call, beside one that is quick. First the quick one is alone, for
// half the time; then the other joins. At the end it is released, and must come to know everything.
type slow struct {
	*running
	objects []*thing
	changes *changes
	alone   *paced
	beside  *paced
	quick   *view
	slow    *view

	released    atomic.Bool
	held        float64
	calls       int     // of the slow handler, before it was released
	early, late []final // the last states after each phase
}

func newSlow(own bool) func(harness.Config) (harness.Trial, error) {
	return func(c harness.Config) (harness.Trial, error) {
		s := &slow{objects: newThings(c.Size(slowKeys, 100))}
		updates := c.Size(slowEvents, 2000)
		s.changes = newChanges(s.objects, updates+updates/2, c.Size(slowGone, 10))
		s.late = s.changes.final
		s.early = finalAfter(s.objects, s.changes.events[:updates/2])
		s.alone = newPaced(s.changes.events[:updates/2], slowRate, own)
		s.beside = newPaced(s.changes.events[updates/2:], slowRate, own)
		s.quick, s.slow = newView(s.early), newView(s.late)
		s.quick.heard = s.alone.arrive
		var err error
		s.running, err = start(c.Side, newSource(s.objects), false, s.quick)
		return s, err
	}
}

// finalAfter is how some of the changes leave the objects.
func finalAfter(objects []*thing, events []thing) []final {
	out := make([]final, len(objects))
	for i, o := range objects {
		out[i] = o.final()
	}
	for i := range events {
		out[events[i].index] = events[i].final()
	}
	return out
}

func (s *slow) Ops() int { return len(s.changes.events) }

func (s *slow) Run() {
	s.alone.run(s.running.changes)
	<-s.quick.done
	s.quick.expect(s.late)
	s.quick.heard = s.beside.arrive
	s.slow.heard = s.dawdle
	if err := s.join(s.slow); err != nil {
		s.slow.complain(err)
		return
	}
	before := reachable()
	s.beside.run(s.running.changes)
	<-s.quick.done
	s.held = max(0, reachable()-before)
	s.released.Store(true)
	<-s.slow.done
}

func (s *slow) dawdle(*thing) {
	if !s.released.Load() {
		s.calls++
		time.Sleep(slowNeeds)
	}
}

func (s *slow) Finish() (harness.Sample, error) {
	s.end()
	for name, v := range map[string]*view{"quick": s.quick, "slow": s.slow} {
		if err := v.check(); err != nil {
			return nil, fmt.Errorf("%s handler: %w", name, err)
		}
	}
	return harness.Sample{
		heldAKey:   s.held / float64(len(s.objects)),
		afterwards: float64(s.slow.calls-s.calls) / float64(len(s.objects)),
		p50Late:    s.beside.percentile(0.50),
		p99Late:    s.beside.percentile(0.99),
		p50Change:  s.beside.percentile(0.50) / s.alone.percentile(0.50),
		p99Change:  s.beside.percentile(0.99) / s.alone.percentile(0.99),
	}, checkStore(s.store(), s.objects, s.late)
}

package watch

import (
	"errors"
	"math"
	"time"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/internal/podcache"
	"vedette.dev/bench/pods/podserver"
)

// The figures of a slow handler.
const (
	eventsRead = "changes read in 10 s"
	heldHeap   = "heap held" // that is reachable at the end of the events, beyond that before
	callsHeld  = "calls before the release"
	callsLeft  = "calls after it"
)

const (
	slowNeeds  = time.Millisecond
	slowRate   = 30_000
	slowWindow = 10 * time.Second
)

// slowAhead is how many changes may wait in the server: enough for it never to wait.
const slowAhead = 1000

// slow is a handler that needs a millisecond for each call, while changes come much faster, as many as the informer reads. At the
// end of the window it is released, all pods change once more, and it must come to know the last state of each.
type slow struct {
	*podcache.Running
	events int // at most
	came   int
	want   podcache.Wanted

	held  float64
	calls int
	err   error
}

func newSlow(c podcache.Config, pods int) func(harness.Config) (harness.Trial, error) {
	return func(h harness.Config) (harness.Trial, error) {
		c.Side, c.Pods = h.Side, h.Size(pods, leastPods)
		r, err := podcache.PrepareSynced(c)
		if err != nil {
			return nil, err
		}
		s := &slow{Running: r, events: int(h.Window(slowWindow, 100*time.Millisecond).Seconds() * slowRate)}
		r.View.Needs = slowNeeds
		r.View.Expect(podcache.Wanted{Above: math.MaxInt64})
		return s, nil
	}
}

func (s *slow) Ops() int { return s.events }

func (s *slow) Run() { s.err = s.run() }

func (s *slow) run() error {
	before := harness.LiveHeap()
	report, err := s.Server.Tell(podserver.Order{Update: &podserver.Update{Events: s.events, Rate: slowRate, Ahead: slowAhead}})
	if err != nil {
		return err
	}
	s.held = max(0, float64(harness.LiveHeap())-float64(before))
	s.came, s.calls = report.Changes, s.View.Calls()
	s.want = s.AfterUpdates(s.came + s.Pods)
	s.View.Expect(s.want)
	s.View.Release()
	if _, err := s.Server.Tell(podserver.Order{Update: &podserver.Update{Events: s.Pods}}); err != nil {
		return err
	}
	return s.View.Wait()
}

func (s *slow) Finish() (harness.Sample, error) {
	left := s.View.Calls()
	if s.err == nil {
		s.err = errors.Join(s.View.Check(s.want), s.Check(s.ChangesAfter(s.came+s.Pods)))
	}
	return harness.Sample{
		heldHeap:   s.held,
		eventsRead: float64(s.came),
		callsHeld:  float64(s.calls),
		callsLeft:  float64(left),
	}, errors.Join(s.err, s.End())
}

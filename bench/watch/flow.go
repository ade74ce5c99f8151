package watch

import (
	"errors"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/internal/podcache"
	"vedette.dev/bench/pods/podserver"
)

// flow is changes that the server sends as fast as they are read, until the handler has heard of the last state of each pod.
type flow struct {
	*podcache.Running
	events int
	want   podcache.Wanted
	err    error
}

// callsAnEvent is how often the handler was called for each. Below 1, changes of one pod were coalesced.
const callsAnEvent = "calls an event"

// size is how many pods and events there are.
type size struct{ pods, events int }

func newFlow(c podcache.Config, s size) func(harness.Config) (harness.Trial, error) {
	return func(h harness.Config) (harness.Trial, error) {
		c.Side, c.Pods = h.Side, h.Size(s.pods, leastPods)
		r, err := podcache.PrepareSynced(c)
		if err != nil {
			return nil, err
		}
		f := &flow{Running: r, events: h.Size(s.events, 3*leastPods)}
		f.want = r.AfterUpdates(f.events)
		r.View.Expect(f.want)
		return f, nil
	}
}

func (f *flow) Ops() int { return f.events }

func (f *flow) Run() {
	if _, f.err = f.Server.Tell(podserver.Order{Update: &podserver.Update{Events: f.events}}); f.err == nil {
		f.err = f.View.Wait()
	}
}

func (f *flow) Finish() (harness.Sample, error) {
	calls := float64(f.View.Calls())
	if f.err == nil {
		f.err = errors.Join(f.View.Check(f.want), f.Check(f.ChangesAfter(f.events)))
	}
	return harness.Sample{callsAnEvent: calls / float64(f.events)}, errors.Join(f.err, f.End())
}

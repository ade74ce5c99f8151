package pipeline

import (
	"fmt"

	"vedette.dev/bench/harness"
)

// callsAnEvent is how many calls of a handler there were for an event. It is below 1 if events were coalesced.
const callsAnEvent = "calls an event"

// flow is changes that come as fast as they are taken, to handlers that do next to nothing.
type flow struct {
	*running
	objects []*thing
	changes *changes
	each    bool
	views   []*view
}

func newFlow(handlers int, each bool) func(harness.Config) (harness.Trial, error) {
	return func(c harness.Config) (harness.Trial, error) {
		f := &flow{objects: newThings(c.Size(10_000, 100)), each: each}
		f.changes = newChanges(f.objects, c.Size(500_000, 1000), 0)
		var all []handler
		for range handlers {
			v := newView(f.changes.final)
			v.chained = !each
			f.views, all = append(f.views, v), append(all, v)
		}
		var err error
		f.running, err = start(c.Side, newSource(f.objects), each, all...)
		return f, err
	}
}

func (f *flow) Ops() int { return len(f.changes.events) }

func (f *flow) Run() {
	for i := range f.changes.events {
		f.running.changes <- f.changes.events[i].event()
	}
	for _, v := range f.views {
		<-v.done
	}
}

func (f *flow) Finish() (harness.Sample, error) {
	f.end()
	calls := 0
	for i, v := range f.views {
		if err := v.check(); err != nil {
			return nil, fmt.Errorf("handler %d: %w", i, err)
		}
		if f.each && v.calls != f.Ops() {
			return nil, fmt.Errorf("handler %d: %d calls, want %d", i, v.calls, f.Ops())
		}
		calls += v.calls
	}
	figures := harness.Sample{callsAnEvent: float64(calls) / float64(f.Ops()*len(f.views))}
	return figures, checkStore(f.store(), f.objects, f.changes.final)
}

package sharding

import (
	"vedette.dev/bench/harness"
	"vedette.dev/shard"
)

// rounds is how often each object changes. The next round begins when all have been heard of, so that there is nothing that
// could be coalesced.
const rounds = 2

// flow is changes that come as fast as the server writes and sends them.
type flow struct {
	*running
	err error
}

func newFlow(s spec, source shard.Source) func(harness.Config) (harness.Trial, error) {
	return func(c harness.Config) (harness.Trial, error) {
		r, err := prepare(c.Side, s.scaled(c), source)
		if err != nil {
			return nil, err
		}
		if err := r.start(); err != nil {
			return nil, r.end(err)
		}
		return &flow{running: r}, nil
	}
}

func (f *flow) Ops() int { return rounds * f.server.Objects }

func (f *flow) Run() {
	for round := 1; round <= rounds && f.err == nil; round++ {
		f.view.expect(f.server.Objects)
		if _, f.err = f.server.tell(order{Round: round}); f.err == nil {
			f.err = f.view.wait()
		}
	}
}

func (f *flow) Finish() (harness.Sample, error) {
	if f.err == nil {
		f.err = f.heardAll(f.server.Objects + f.Ops())
	}
	return nil, f.end(f.err)
}

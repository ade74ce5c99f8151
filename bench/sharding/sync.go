package sharding

import (
	"vedette.dev/bench/harness"
	"vedette.dev/shard"
)

// syncing is the start of an informer, until the store and the handler have all objects.
type syncing struct {
	*running
	err error
}

func newSyncing(s spec, source shard.Source) func(harness.Config) (harness.Trial, error) {
	return func(c harness.Config) (harness.Trial, error) {
		r, err := prepare(c.Side, s.scaled(c), source)
		return &syncing{running: r}, err
	}
}

func (s *syncing) Ops() int { return s.server.Objects }

func (s *syncing) Run() { s.err = s.start() }

func (s *syncing) Finish() (harness.Sample, error) {
	if s.err == nil {
		s.err = s.heardAll(s.Ops())
	}
	return nil, s.end(s.err)
}

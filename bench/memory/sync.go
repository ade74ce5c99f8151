package memory

import (
	"errors"
	"time"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/internal/podcache"
	"vedette.dev/bench/internal/rss"
)

// The figures of a start.
const (
	timeToSync = "time to synced"
	cpuToSync  = "cpu to synced" // seconds of the informer's process, garbage collector included
	peakRSS    = "peak RSS"
)

// syncing is the start of an informer, until the store and the handler have all pods.
type syncing struct {
	*podcache.Running
	took, cpu time.Duration
	peak      uint64
	err       error
}

func newSyncing(c podcache.Config, size int) func(harness.Config) (harness.Trial, error) {
	return func(h harness.Config) (harness.Trial, error) {
		c.Side, c.Pods = h.Side, h.Size(size, leastPods)
		r, err := podcache.Prepare(c)
		if err != nil {
			return nil, err
		}
		if err := rss.Reset(); err != nil {
			return nil, errors.Join(err, r.End())
		}
		return &syncing{Running: r}, nil
	}
}

func (s *syncing) Ops() int { return s.Pods }

func (s *syncing) Run() {
	began, cpu := time.Now(), harness.ProcessorTime()
	s.err = s.Start()
	s.took, s.cpu = time.Since(began), harness.ProcessorTime()-cpu
	var err error
	s.peak, err = rss.Peak()
	s.err = errors.Join(s.err, err)
}

func (s *syncing) Finish() (harness.Sample, error) {
	if s.err == nil {
		s.err = errors.Join(s.CheckStart(), s.Check(func(int) int { return 0 }))
	}
	return harness.Sample{
		timeToSync: float64(s.took),
		cpuToSync:  float64(s.cpu),
		peakRSS:    float64(s.peak),
	}, errors.Join(s.err, s.End())
}

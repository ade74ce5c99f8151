package memory

import (
	"errors"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/internal/podcache"
	"vedette.dev/bench/pods/podserver"
)

// The figures of a store that shrinks.
const (
	heapLeft   = "heap left beyond 4 MiB, to that before"
	heapBefore = "heap before"
	heapAfter  = "heap after"
)

const (
	// keepOneIn is how many pods there are for each that is not deleted.
	keepOneIn = 100
	// constant is what an informer may have however few objects there are: connections, buffers, what several objects share.
	constant = 4 << 20
)

// shrink is an informer most of whose objects are deleted, one event each.
type shrink struct {
	*podcache.Running
	want          podcache.Wanted
	base          uint64 // of the process, without informer
	before, after uint64
	err           error
}

func newShrink(c podcache.Config, size int) func(harness.Config) (harness.Trial, error) {
	return func(h harness.Config) (harness.Trial, error) {
		c.Side, c.Pods = h.Side, h.Size(size, 10*keepOneIn)
		r, err := podcache.Prepare(c)
		if err != nil {
			return nil, err
		}
		s := &shrink{Running: r, base: harness.LiveHeap()}
		s.want.Deleted = c.Pods - (c.Pods+keepOneIn-1)/keepOneIn
		if err = r.Start(); err == nil {
			err = r.CheckStart()
		}
		if err != nil {
			return nil, errors.Join(err, r.End())
		}
		s.before = harness.LiveHeap()
		return s, nil
	}
}

func (s *shrink) Ops() int { return s.want.Deleted }

func (s *shrink) Run() {
	s.View.Expect(s.want)
	if _, s.err = s.Server.Tell(podserver.Order{KeepOneIn: keepOneIn}); s.err == nil {
		s.err = s.View.Wait()
	}
}

func (s *shrink) Finish() (harness.Sample, error) {
	s.after = harness.LiveHeap()
	if s.err == nil {
		s.err = errors.Join(s.View.Check(s.want), s.Check(func(i int) int {
			if i%keepOneIn != 0 {
				return podcache.Gone
			}
			return 0
		}))
	}
	before, after := float64(s.before)-float64(s.base), float64(s.after)-float64(s.base)
	return harness.Sample{
		heapLeft:   max(0, after-constant) / before,
		heapBefore: before,
		heapAfter:  max(0, after),
	}, errors.Join(s.err, s.End())
}

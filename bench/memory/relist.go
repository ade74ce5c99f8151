package memory

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/internal/podcache"
	"vedette.dev/bench/internal/rss"
	"vedette.dev/bench/pods"
	"vedette.dev/bench/pods/podserver"
)

// The figures of a relist.
const (
	relistPeak  = "peak RSS, to that before"
	relistTime  = "from request to last call"
	relistCalls = "handler calls"
	relistAlloc = "bytes allocated"
)

// relistOneIn is how many pods there are for each that has changed, and for each that is gone.
const relistOneIn = 1000

// relist is a watch that ends with 410, and the relist that follows, until the handler has received a later change. What
// the process has before is as the start has left it, after two collections.
type relist struct {
	*podcache.Running
	want podcache.Wanted

	began     podserver.Report
	heard     time.Time
	before    uint64
	peak      uint64
	allocated uint64
	err       error
}

func newRelist(c podcache.Config, size int) func(harness.Config) (harness.Trial, error) {
	return func(h harness.Config) (harness.Trial, error) {
		c.Side, c.Pods = h.Side, h.Size(size, 2*relistOneIn)
		r, err := podcache.PrepareSynced(c)
		if err != nil {
			return nil, err
		}
		return &relist{Running: r, want: podcache.Wanted{
			Above: pods.ListVersion, States: count(c.Pods, 1) + 1, Deleted: count(c.Pods, 2),
		}}, nil
	}
}

// count is how many numbers below n leave a rest.
func count(n, rest int) int { return (n - rest + relistOneIn - 1) / relistOneIn }

func (r *relist) Ops() int { return r.Pods }

func (r *relist) Run() {
	r.View.Expect(r.want)
	r.err = r.run()
}

func (r *relist) run() error {
	var err error
	if r.before, err = rss.Now(); err != nil {
		return err
	}
	if err := rss.Reset(); err != nil {
		return err
	}
	volume := allocated()
	if _, err = r.Server.Tell(podserver.Order{ExpireOneIn: relistOneIn}); err != nil {
		return err
	}
	if r.began, err = r.Server.Tell(podserver.Order{Touch: true}); err != nil {
		return err
	}
	if err := r.View.Wait(); err != nil {
		return err
	}
	r.heard = time.Now()
	r.allocated = allocated() - volume
	r.peak, err = rss.Peak()
	return err
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// sum is the checksum of the new states.
func (r *relist) sum() uint64 {
	var out uint64
	for i := range r.Pods {
		if c := r.change(i); c > 0 {
			out += podcache.Weight(i, c)
		}
	}
	return out
}

// change is the later change of each pod. The changes are in the order of the pods, with pod 0 last.
func (r *relist) change(i int) int {
	switch {
	case i == 0:
		return r.began.Changes
	case i%relistOneIn == 1:
		return 2*(i/relistOneIn) + 1
	case i%relistOneIn == 2:
		return podcache.Gone
	}
	return 0
}

func (r *relist) Finish() (harness.Sample, error) {
	calls := r.View.Calls()
	err := r.err
	if err == nil {
		r.want.Sum = r.sum()
		err = errors.Join(r.View.Check(r.want), r.Check(r.change))
	}
	if err == nil && calls < r.want.States+r.want.Deleted {
		err = fmt.Errorf("%d calls for %d changes", calls, r.want.States+r.want.Deleted)
	}
	return harness.Sample{
		relistPeak:  float64(r.peak) / float64(max(1, r.before)),
		peakRSS:     float64(r.peak),
		relistTime:  float64(r.heard.UnixNano() - r.began.Asked),
		relistCalls: float64(calls),
		relistAlloc: float64(r.allocated),
	}, errors.Join(err, r.End())
}

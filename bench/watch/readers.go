package watch

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/internal/podcache"
	"vedette.dev/bench/pods"
	"vedette.dev/bench/pods/podserver"
)

// The figures of a store that is read without pause.
const (
	p50Store = "p50 from event to store"
	p99Store = "p99 from event to store"
	aChange  = "time for a change"             // until the store has all
	aCall    = "time for a change, until seen" // until the handler was notified of all
	aRead    = "time for a read"               // so that one can see that the readers did not pay for it
)

const (
	readerCount = 16
	readersRate = 5000
	readersTime = 5 * time.Second
	// sampled is how many events there are for each that is timed.
	sampled = 10
	// listEach is how many look-ups a reader makes for each list.
	listEach = 10
)

// readers is an informer whose store is read by many goroutines without pause, while changes come at a steady rate. The readers
// measure when a change is in the store: among what they look up is always the pod of the oldest change that they have not seen
// yet, of one change in ten. So no other goroutine has to wait for a processor. A change is late from the moment that
// the server had it.
type readers struct {
	*podcache.Running
	events     int
	want       podcache.Wanted
	namespaces []string
	keys       []string // of the pods of the changes that are timed

	next   atomic.Int64 // which of those is looked for
	seen   []int64      // when each was found
	reads  atomic.Int64
	report podserver.Report
	began  time.Time
	took   time.Duration // until the handler was notified of all
	err    error
	bad    atomic.Pointer[error]
}

func newReaders(c podcache.Config, count int) func(harness.Config) (harness.Trial, error) {
	return func(h harness.Config) (harness.Trial, error) {
		c.Side, c.Pods = h.Side, h.Size(count, leastPods)
		r, err := podcache.PrepareSynced(c)
		if err != nil {
			return nil, err
		}
		t := &readers{Running: r, events: int(h.Window(readersTime, 200*time.Millisecond).Seconds() * readersRate)}
		t.want = r.AfterUpdates(t.events)
		r.View.Expect(t.want)
		for n := sampled; n <= t.events; n += sampled {
			t.keys = append(t.keys, pods.Key(podserver.Spread(n, c.Pods)).String())
		}
		t.seen = make([]int64, len(t.keys))
		for i := 0; i < c.Pods; i += 20 {
			t.namespaces = append(t.namespaces, pods.Key(i).Namespace)
		}
		slices.Sort(t.namespaces)
		t.namespaces = slices.Compact(t.namespaces)
		return t, nil
	}
}

func (t *readers) Ops() int { return t.events }

func (t *readers) Run() {
	var all sync.WaitGroup
	var stop atomic.Bool
	for i := range readerCount {
		all.Go(func() {
			for n := i; !stop.Load(); n++ {
				t.read(n)
			}
		})
	}
	t.began = time.Now()
	order := podserver.Order{Update: &podserver.Update{Events: t.events, Rate: readersRate, Times: true}}
	if t.report, t.err = t.Server.Tell(order); t.err == nil {
		t.err = t.View.Wait()
	}
	t.took = time.Since(t.began)
	for int(t.next.Load()) < len(t.keys) && t.err == nil && t.bad.Load() == nil {
		time.Sleep(time.Millisecond)
	}
	stop.Store(true)
	all.Wait()
}

// read lists a namespace now and then, and otherwise looks a pod up.
func (t *readers) read(n int) {
	t.reads.Add(1)
	if n%listEach == 0 {
		found, err := t.Store().ByIndex(podcache.NamespaceIndex, t.namespaces[n/listEach%len(t.namespaces)])
		if err == nil && len(found) == 0 {
			err = errors.New("a namespace is empty")
		}
		t.complain(err)
		return
	}
	for t.look() { // what is there already must not wait for other reads
	}
}

// look looks up the pod of the oldest change that was not seen yet, and reports whether it is there.
func (t *readers) look() bool {
	which := t.next.Load()
	if int(which) >= len(t.keys) {
		return false
	}
	obj, ok, err := t.Store().GetByKey(t.keys[which])
	if err != nil || !ok {
		t.complain(fmt.Errorf("get %s: %v, error %v", t.keys[which], ok, err))
		return false
	}
	version, err := strconv.ParseInt(obj.(metav1.Object).GetResourceVersion(), 10, 64)
	t.complain(err)
	now := time.Now().UnixNano()
	if version < pods.Version(0, sampled*(int(which)+1)) || !t.next.CompareAndSwap(which, which+1) {
		return false
	}
	t.seen[which] = now
	return true
}

func (t *readers) complain(err error) {
	if err != nil {
		t.bad.Store(&err)
	}
}

// lateness is how late each change was that is timed, sorted.
func (t *readers) lateness() []int64 {
	late := make([]int64, len(t.seen))
	for i, at := range t.seen {
		late[i] = at - t.report.Times[sampled*(i+1)-1]
	}
	slices.Sort(late)
	return late
}

func (t *readers) Finish() (harness.Sample, error) {
	err := t.err
	if bad := t.bad.Load(); bad != nil {
		err = errors.Join(err, *bad)
	}
	if err == nil {
		err = errors.Join(t.View.Check(t.want), t.Check(t.ChangesAfter(t.events)))
	}
	if err != nil {
		return nil, errors.Join(err, t.End())
	}
	late := t.lateness()
	return harness.Sample{
		p50Store: percentile(late, 0.50),
		p99Store: percentile(late, 0.99),
		aChange:  float64(t.seen[len(t.seen)-1]-t.began.UnixNano()) / float64(t.events),
		aCall:    float64(t.took) / float64(t.events),
		aRead:    float64(t.took) * readerCount / float64(t.reads.Load()),
	}, t.End()
}

// percentile is the smallest value that the given share of the sorted values does not exceed.
func percentile(sorted []int64, share float64) float64 {
	i := int(math.Ceil(share*float64(len(sorted)))) - 1
	return float64(sorted[max(0, i)])
}

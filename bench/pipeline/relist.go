package pipeline

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/bench/harness"
)

// The figures of a relist.
const (
	relistTime  = "from list to last call" // by object
	relistCalls = "calls"
	relistMost  = "peak memory" // that the process has from the system
	relistPeak  = "peak memory, to that before"
	relistAlloc = "allocated, to the objects" // by the informer, without what the source allocates
)

// relist is a watch that ends with 410, and the relist that follows. One object in a thousand has changed meanwhile, and one in a
// thousand is gone. A last change, after the list, shows that the handler has received everything.
type relist struct {
	*running
	objects []*thing // that there were
	now     []*thing // that there are
	after   uint32   // the version of now
	want    []final
	changed int // how many changes there are, deletions and the last one included
	view    *view
	garbage int // the percentage before

	took      time.Duration
	before    float64 // memory
	most      float64
	allocated float64
}

const (
	relistObjects = 100_000
	relistOneIn   = 1000
	// relistGarbage is how much garbage there may be, in percent of what is not. With the usual 100 the peak would be that
	// of the collector, whatever an informer holds: what the source decodes is enough for that.
	relistGarbage = 10
)

func newRelist(streams bool) func(harness.Config) (harness.Trial, error) {
	return func(c harness.Config) (harness.Trial, error) {
		r := &relist{objects: newThings(c.Size(relistObjects, relistOneIn)), garbage: debug.SetGCPercent(relistGarbage)}
		r.change()
		r.view = newView(finalAfter(r.objects, nil))
		r.view.again = true
		s := newSource(r.objects)
		s.streams, s.own = streams, true
		var err error
		r.running, err = start(c.Side, s, false, r.view)
		return r, err
	}
}

// change is what the informer misses, and the change that it does not.
func (r *relist) change() {
	r.want = finalAfter(r.objects, nil)
	r.after = uint32(len(r.objects))
	for i, o := range r.objects {
		switch i % relistOneIn {
		case 1:
			o = r.next(o)
		case 2:
			r.want[i] |= goneBit
			r.changed++
			continue
		}
		r.now = append(r.now, o)
	}
}

// next is a new state of an object.
func (r *relist) next(o *thing) *thing {
	r.after++
	r.changed++
	out := *o
	out.number, out.version = r.after, strconv.FormatUint(uint64(r.after), 10)
	r.want[o.index] = out.final()
	return &out
}

func (r *relist) Ops() int { return len(r.now) }

func (r *relist) Run() {
	r.source.set(r.now, r.after)
	last := r.next(r.now[0])
	r.view.expect(r.want)
	r.before = inUse()
	memory, volume := watchMemory(), allocated()

	r.running.changes <- expired()
	r.running.changes = <-r.source.watches
	r.running.changes <- last.event()
	<-r.view.done

	r.took = time.Since(r.source.askedAt())
	r.allocated = allocated() - volume
	r.most = memory.stop()
}

// expired is what a server says that has forgotten the version of a watch.
func expired() watch.Event {
	return watch.Event{Type: watch.Error, Object: &metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusGone, Reason: metav1.StatusReasonExpired, Message: "too old resource version",
	}}
}

func (r *relist) Finish() (harness.Sample, error) {
	r.end()
	debug.SetGCPercent(r.garbage)
	if err := r.view.check(); err != nil {
		return nil, err
	}
	if r.view.calls < r.changed {
		return nil, fmt.Errorf("%d calls for %d changes", r.view.calls, r.changed)
	}
	size := float64(len(r.now)) * float64(bodySize+unsafe.Sizeof(thing{}))
	return harness.Sample{
		relistTime:  float64(r.took) / float64(r.Ops()),
		relistCalls: float64(r.view.calls),
		relistMost:  r.most,
		relistPeak:  r.most / r.before,
		relistAlloc: max(0, r.allocated-size) / size,
	}, checkStore(r.store(), r.objects, r.want)
}

package sharding

import (
	"fmt"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// view is a handler that counts. It may be called by several goroutines, but of one object by one at a time.
type view struct {
	heard []atomic.Int64 // the last version of each object
	calls atomic.Int64
	wrong atomic.Pointer[string] // the first thing that was not as it should be

	// needs is how long a call for a change takes. arrive, if set, is called with each change.
	needs  time.Duration
	arrive func(index int, pod *corev1.Pod)

	want atomic.Int64 // done is closed at this call
	done chan struct{}
}

func newView(objects int) *view {
	return &view{heard: make([]atomic.Int64, objects), done: make(chan struct{})}
}

func (v *view) fail(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	v.wrong.CompareAndSwap(nil, &text)
}

// state is called with a new state of an object.
func (v *view) state(pod *corev1.Pod, added bool) {
	i, version := indexOf(pod), versionOf(pod)
	if i < 0 || i >= len(v.heard) || version < 0 {
		v.fail("heard of pod %s in version %q, which is none of ours", keyOf(pod), pod.ResourceVersion)
		return
	}
	before := v.heard[i].Swap(version)
	switch {
	case before >= version:
		v.fail("pod %d: heard of version %d after version %d", i, version, before)
	case added != (before == 0):
		v.fail("pod %d: version %d after version %d: added is %v", i, version, before, added)
	}
	if !added {
		v.change(i, pod)
	}
	if v.calls.Add(1) == v.want.Load() {
		close(v.done)
	}
}

// change is called with each state of an object but the first.
func (v *view) change(index int, pod *corev1.Pod) {
	if v.arrive != nil {
		v.arrive(index, pod)
	}
	if v.needs > 0 {
		time.Sleep(v.needs)
	}
}

func (v *view) OnAdd(obj any, _ bool) { v.state(obj.(*corev1.Pod), true) }

func (v *view) OnUpdate(_, obj any) { v.state(obj.(*corev1.Pod), false) }

// OnDelete is never called, since nothing is deleted.
func (v *view) OnDelete(obj any) { v.fail("heard of a deletion: %T", obj) }

// expect has done closed after so many calls more. Nothing must be on its way.
func (v *view) expect(calls int) {
	v.done = make(chan struct{})
	v.want.Store(v.calls.Load() + int64(calls))
}

// phaseTimeout is how long a phase may take. If it takes longer, an event was lost.
const phaseTimeout = 3 * time.Minute

// wait waits for the number of calls given to expect.
func (v *view) wait() error {
	select {
	case <-v.done:
		return nil
	case <-time.After(phaseTimeout):
		return fmt.Errorf("heard %d calls after %v, want %d", v.calls.Load(), phaseTimeout, v.want.Load())
	}
}

func (v *view) err() error {
	if text := v.wrong.Load(); text != nil {
		return fmt.Errorf("the handler %s", *text)
	}
	return nil
}

package podcache

import (
	"errors"
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	clientgocache "k8s.io/client-go/tools/cache"

	"vedette.dev/bench/pods"
	"vedette.dev/cache"
)

// Wanted is what a handler must receive.
type Wanted struct {
	// Above is the last version that does not matter: only states that are newer are counted and summed up.
	Above int64
	// States is how many states of objects there are, and Deleted how many deletions.
	States, Deleted int
	// Sum is the checksum of the names and versions of the states. Zero means unknown.
	Sum uint64
}

// View is a handler. One goroutine at a time calls it.
type View struct {
	// Needs is how long a call for a change takes, until Release.
	Needs    time.Duration
	released atomic.Bool

	calls atomic.Int64
	names atomic.Int64 // bytes of names: that each was looked at
	heard atomic.Pointer[heard]
	wrong atomic.Pointer[string]
}

// heard is what a handler has heard of what is wanted.
type heard struct {
	Wanted
	states, deleted atomic.Int64
	sum             atomic.Uint64
	done            chan struct{}
}

// NewView returns one that waits for nothing.
func NewView() *View {
	v := &View{}
	v.Expect(Wanted{})
	return v
}

// Expect begins to count anew. No state that is wanted now must have been on its way, nor a deletion.
func (v *View) Expect(w Wanted) {
	v.calls.Store(0)
	v.heard.Store(&heard{Wanted: w, done: make(chan struct{})})
}

// Calls is how often the handler was called since Expect.
func (v *View) Calls() int { return int(v.calls.Load()) }

// Release has the handler take no time any more.
func (v *View) Release() { v.released.Store(true) }

func (v *View) OnAdd(obj any, initial bool) { v.object(obj, initial) }

func (v *View) OnUpdate(_, obj any) { v.object(obj, false) }

// OnDelete accepts an object whose deletion may have been missed.
func (v *View) OnDelete(obj any) {
	switch d := obj.(type) {
	case clientgocache.DeletedFinalStateUnknown:
		obj = d.Obj
	case cache.DeletedFinalStateUnknown:
		obj = d.Obj
	}
	if m, ok := obj.(metav1.Object); ok {
		v.gone(m.GetName())
		return
	}
	v.fail("has heard of the deletion of a %T", obj)
}

func (v *View) object(obj any, initial bool) {
	if m, ok := obj.(metav1.Object); ok {
		v.state(m.GetName(), m.GetResourceVersion(), initial)
		return
	}
	v.fail("was given a %T", obj)
}

// event is the handler for keys. It does not ask for the object.
func (v *View) event(e cache.LazyEvent) {
	_, name, _ := strings.Cut(e.Key, "/")
	if e.Type == watch.Deleted {
		v.gone(name)
		return
	}
	v.state(name, e.ResourceVersion(), e.Initial)
}

// seed is for sums, which no other process sees.
var seed = maphash.MakeSeed()

func weight(name string, version int64) uint64 { return maphash.String(seed, name) * uint64(version) }

// Weight is what a state of pod i adds to the sum.
func Weight(i, change int) uint64 { return weight(pods.Key(i).Name, pods.Version(i, change)) }

func (v *View) state(name, version string, initial bool) {
	v.called(name)
	n, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		v.fail("has heard of version %q of %s", version, name)
		return
	}
	if h := v.heard.Load(); n > h.Above {
		h.sum.Add(weight(name, n))
		v.finish(h, h.states.Add(1), h.deleted.Load())
	}
	if v.Needs > 0 && !initial && !v.released.Load() {
		time.Sleep(v.Needs)
	}
}

func (v *View) gone(name string) {
	v.called(name)
	h := v.heard.Load()
	v.finish(h, h.states.Load(), h.deleted.Add(1))
}

func (v *View) called(name string) {
	v.calls.Add(1)
	v.names.Add(int64(len(name)))
}

func (v *View) finish(h *heard, states, deleted int64) {
	if int(states) == h.States && int(deleted) == h.Deleted {
		close(h.done)
	}
	if int(states) > h.States || int(deleted) > h.Deleted {
		v.fail("has heard of %d states and %d deletions, want %+v", states, deleted, h.Wanted)
	}
}

func (v *View) fail(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	v.wrong.CompareAndSwap(nil, &text)
}

// phaseTimeout is how long a phase may take. If it takes longer, an event was lost.
const phaseTimeout = 4 * time.Minute

// Wait waits until the handler has received everything given to Expect.
func (v *View) Wait() error {
	h := v.heard.Load()
	select {
	case <-h.done:
		return v.err()
	case <-time.After(phaseTimeout):
		return errors.Join(fmt.Errorf("after %v the handler has heard %v, want %+v", phaseTimeout, v, h.Wanted), v.err())
	}
}

func (v *View) String() string {
	h := v.heard.Load()
	return fmt.Sprintf("%d calls, %d states, %d deletions", v.calls.Load(), h.states.Load(), h.deleted.Load())
}

func (v *View) err() error {
	if text := v.wrong.Load(); text != nil {
		return fmt.Errorf("the handler %s", *text)
	}
	return nil
}

// Check compares what was heard with what should have been.
func (v *View) Check(w Wanted) error {
	h := v.heard.Load()
	if int(h.states.Load()) != w.States || int(h.deleted.Load()) != w.Deleted || v.names.Load() == 0 {
		return fmt.Errorf("the handler has heard %v, want %d states and %d deletions", v, w.States, w.Deleted)
	}
	if w.Sum != 0 && h.sum.Load() != w.Sum {
		return fmt.Errorf("names and versions of what the handler has heard of add up to %d, want %d", h.sum.Load(), w.Sum)
	}
	return v.err()
}

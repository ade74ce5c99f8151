package ownwrites

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/cache"
)

// hammer is a server that numbers all writes, a watch that brings them to the store some time later, writers that read what
// they wrote, and readers that look for what cannot be.
type hammer struct {
	t       *testing.T
	stub    *stub
	tracker *Tracker
	stop    atomic.Bool

	mu      sync.Mutex // the server
	version int
	events  chan event
	reads   atomic.Int64
}

type event struct {
	obj     *corev1.ConfigMap
	deleted bool
}

// change is one write to the server, answered when it is on its way to the watch.
func (h *hammer) change(name, uid, color string, deleted bool) *corev1.ConfigMap {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.version++
	obj := configMap(name, uid, h.version, color)
	h.events <- event{obj, deleted}
	return obj
}

// watch brings what happened, in order, now and then after a pause.
func (h *hammer) watch() {
	r := rand.New(rand.NewPCG(1, 1))
	for e := range h.events {
		if r.IntN(50) == 0 {
			time.Sleep(time.Duration(r.IntN(2000)) * time.Microsecond)
		}
		if e.deleted {
			h.stub.remove(e.obj)
		} else {
			h.stub.put(e.obj)
		}
	}
}

func (h *hammer) write(writer int) {
	r := rand.New(rand.NewPCG(uint64(writer), 2))
	view := h.tracker.Indexer()
	live := map[string]*corev1.ConfigMap{}
	for n := 0; !h.stop.Load(); n++ {
		name := fmt.Sprintf("%d-%d", writer, r.IntN(20))
		color := "w" + strconv.Itoa(writer)
		switch was := live[name]; {
		case was == nil:
			live[name] = h.change(name, fmt.Sprint(writer, "-", n), color, false)
			h.must(h.tracker.Created(live[name]))
		case r.IntN(3) == 0:
			gone := h.change(name, string(was.UID), color, true)
			delete(live, name)
			h.must(h.tracker.Deleted(Deletion{Namespace: "ns", Name: name, UID: gone.UID}))
		default:
			live[name] = h.change(name, string(was.UID), color, false)
			h.must(h.tracker.Updated(live[name], was.ResourceVersion))
		}
		h.same(view, name, live[name])
		if n%8 == 0 {
			list, err := view.ByIndex(byColor, color)
			h.must(err)
			h.exactly(list, live)
		}
	}
}

func (h *hammer) must(err error) {
	if err != nil {
		h.t.Error(err)
	}
}

func (h *hammer) same(view cache.Indexer, name string, want *corev1.ConfigMap) {
	obj, exists, _ := view.GetByKey("ns/" + name)
	if exists != (want != nil) || exists && short(obj) != short(want) {
		h.t.Errorf("%s: %v is shown, and %v was written", name, obj, want)
	}
}

func (h *hammer) exactly(list []any, live map[string]*corev1.ConfigMap) {
	if len(list) != len(live) {
		h.t.Errorf("%d objects of %d", len(list), len(live))
	}
	for _, obj := range list {
		if m := metaOf(obj); live[m.GetName()] == nil || live[m.GetName()].ResourceVersion != m.GetResourceVersion() {
			h.t.Errorf("%v was not written last", obj)
		}
	}
}

// read looks for objects that are there twice, or become older.
func (h *hammer) read() {
	view := h.tracker.Indexer()
	newest := map[string]uint64{}
	for !h.stop.Load() {
		seen := map[string]bool{}
		for _, obj := range view.List() {
			m := metaOf(obj)
			if version := versionOf(m); version < newest[m.GetName()] {
				h.t.Errorf("%s was at %d, and is at %d", m.GetName(), newest[m.GetName()], version)
			} else {
				newest[m.GetName()] = version
			}
			if seen[m.GetName()] {
				h.t.Errorf("%s is there twice", m.GetName())
			}
			seen[m.GetName()] = true
		}
		_ = view.ListKeys()
		_ = view.ListIndexFuncValues(byColor)
		_ = h.tracker.Stats()
		h.reads.Add(1)
	}
}

func TestHammer(t *testing.T) {
	h := &hammer{t: t, stub: newStub(), events: make(chan event, 1000)}
	var err error
	h.tracker, err = New(h.stub, Config{Sweep: time.Millisecond})
	mustNot(t, err)
	var watching, working sync.WaitGroup
	watching.Go(h.watch)
	for n := range 4 {
		working.Go(func() { h.write(n) })
	}
	for range 2 {
		working.Go(h.read)
	}
	time.Sleep(time.Second)
	h.stop.Store(true)
	working.Wait()
	close(h.events)
	watching.Wait()
	h.tracker.settleAll()
	want(t, "waiting", h.tracker.Stats().Waiting, 0)
	mustNot(t, h.tracker.check())
	mustNot(t, h.tracker.Close())
	t.Logf("%d writes, %d rounds of reads", h.version, h.reads.Load())
}

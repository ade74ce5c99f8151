package queue

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"vedette.dev/bench/harness"
)

// handOuts is how often a key was handed out per Add. A queue may merge Adds of one key, and
// the more it coalesces the less work an Add causes, so the time alone does not tell everything.
const handOuts = "hand-outs per Add"

// hot adds few keys very often, so that nearly every Add meets a key that is already queued
// or being worked on.
type hot struct {
	queue     workQueue
	producers int
	workers   int
	perKey    uint32 // Adds of each key, altogether
	keys      []string
	states    []hotState
	behind    atomic.Int64  // keys whose last version no worker has seen
	all       chan struct{} // closed when behind is zero
	crew      crew
}

// hotState is what producers and workers note about one key. Each has a cache line of its
// own: neighbours would slow each other down, and make the bookkeeping dearer than the queue.
type hotState struct {
	written atomic.Uint32 // version, raised before each Add
	seen    atomic.Uint32 // version found by the worker that held the key last
	times   atomic.Uint32 // hand-outs
	hand    hand
	_       [44]byte
}

func newHot(q workQueue, c harness.Config, width int) *hot {
	const keys = 1000
	h := &hot{
		queue:     q,
		producers: width,
		workers:   width,
		// All producers go over all keys equally often.
		perKey: uint32(width * max(1, c.Size(4_000_000, keys)/keys/width)),
		keys:   makeKeys(keys),
		states: make([]hotState, keys),
		all:    make(chan struct{}),
	}
	h.behind.Store(keys)
	return h
}

func (h *hot) Ops() int { return len(h.keys) * int(h.perKey) }

// Run ends when every key was handed out after its last version was written, and nothing is
// queued any more.
func (h *hot) Run() {
	h.crew.start(h.workers, h.queue, h.handle)
	produce(h.producers, h.add)
	<-h.all
	for h.queue.Len() > 0 {
		runtime.Gosched()
	}
}

// add is one producer: it goes round the keys, from a place of its own.
func (h *hot) add(producer int) {
	n := len(h.keys)
	at := producer * n / h.producers
	for range n * int(h.perKey) / h.producers {
		h.states[at].written.Add(1)
		h.queue.Add(h.keys[at])
		if at++; at == n {
			at = 0
		}
	}
}

func (h *hot) handle(_ int, key string) {
	s := &h.states[indexOf(key)]
	s.hand.take()
	s.times.Add(1)
	version := s.written.Load()
	first := s.seen.Swap(version) != version
	s.hand.release()
	h.queue.Done(key)
	if first && version == h.perKey && h.behind.Add(-1) == 0 {
		close(h.all)
	}
}

func (h *hot) Finish() (harness.Sample, error) {
	h.crew.dismiss(h.queue)
	total := 0
	for i := range h.states {
		if err := h.states[i].check(i, h.perKey); err != nil {
			return nil, err
		}
		total += int(h.states[i].times.Load())
	}
	return harness.Sample{handOuts: float64(total) / float64(h.Ops())}, nil
}

func (s *hotState) check(index int, perKey uint32) error {
	if s.written.Load() != perKey || s.seen.Load() != perKey {
		return fmt.Errorf("key %s: version %d of %d written, %d seen",
			keyOf(index), s.written.Load(), perKey, s.seen.Load())
	}
	return s.hand.check(index)
}

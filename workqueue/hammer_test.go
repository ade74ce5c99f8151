package workqueue

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vedette.dev/internal/testsize"
)

const (
	hammerProducers = 64
	hammerWorkers   = 64
	hammerKeys      = 200
	hammerAdds      = 800 // a producer
)

// hammered is what the checker knows of one key.
type hammered struct {
	hands atomic.Int32
	// asked is raised before each add, and seen is set by a worker to what asked was when it took the key. A queue that
	// loses nothing ends with seen equal to asked.
	asked, seen atomic.Int64
}

type hammer struct {
	t    *testing.T
	q    TypedInterface[string]
	keys map[string]*hammered
	name []string
}

// TestHammer lets 64 producers and 64 workers at each queue: no key may be in two hands, and none may be lost.
func TestHammer(t *testing.T) {
	for _, k := range queueKinds {
		t.Run(k.name, func(t *testing.T) { newHammer(t, k.make(setup{})).run() })
	}
}

func newHammer(t *testing.T, q TypedInterface[string]) *hammer {
	h := &hammer{t: t, q: q, keys: map[string]*hammered{}}
	for i := range hammerKeys {
		name := fmt.Sprintf("tenant%d/%d", i%7, i)
		h.keys[name] = new(hammered)
		h.name = append(h.name, name)
	}
	return h
}

func (h *hammer) run() {
	var producers, workers, watcher sync.WaitGroup
	for range hammerWorkers {
		workers.Go(h.work)
	}
	over := make(chan struct{})
	watcher.Go(func() { h.watch(over) })
	for range hammerProducers {
		producers.Go(h.produce)
	}
	producers.Wait()
	// What is delayed has to come up before the queue is shut down, which would drop it. A key on its way from one list
	// of a snapshot to the other may be in neither, so one look is not enough.
	for calm := 0; calm < 3; time.Sleep(time.Millisecond) {
		if calm++; !h.calm() {
			calm = 0
		}
	}
	close(over)
	watcher.Wait()
	h.q.ShutDownWithDrain()
	workers.Wait()
	for name, k := range h.keys {
		if k.seen.Load() != k.asked.Load() {
			h.t.Errorf("%s was not handed out after its last add", name)
		}
	}
	if s := h.q.(TypedInspector[string]).Snapshot(0); s.QueuedCount+s.ProcessingCount+s.WaitingCount != 0 {
		h.t.Errorf("something is left: %+v", s)
	}
}

func (h *hammer) calm() bool {
	s := h.q.(TypedInspector[string]).Snapshot(1)
	return s.WaitingCount == 0 && s.QueuedCount == 0
}

func (h *hammer) produce() {
	delaying, _ := h.q.(TypedDelayingInterface[string])
	limiting, _ := h.q.(TypedRateLimitingInterface[string])
	for range testsize.Of(hammerAdds, hammerAdds/4) {
		name := h.name[rand.IntN(hammerKeys)]
		h.keys[name].asked.Add(1)
		switch n := rand.IntN(4); {
		case n == 1 && delaying != nil:
			delaying.AddAfter(name, time.Duration(rand.IntN(2_000_000)))
		case n == 2 && limiting != nil:
			limiting.AddRateLimited(name)
		case n == 3 && limiting != nil:
			limiting.Forget(name)
			limiting.Add(name)
		default:
			h.q.Add(name)
		}
	}
}

func (h *hammer) work() {
	for {
		name, shutdown := h.q.Get()
		if shutdown {
			return
		}
		k := h.keys[name]
		if k.hands.Add(1) != 1 {
			h.t.Errorf("%s is in two hands", name)
		}
		k.seen.Store(k.asked.Load())
		k.hands.Add(-1)
		h.q.Done(name)
	}
}

// watch takes snapshots while the queue is in full swing.
func (h *hammer) watch(over <-chan struct{}) {
	for {
		select {
		case <-over:
			return
		default:
		}
		s := h.q.(TypedInspector[string]).Snapshot(5)
		if len(s.Queued) > 5 || len(s.Processing) > 5 || len(s.Waiting) > 5 || s.ProcessingCount > hammerWorkers {
			h.t.Errorf("a snapshot of at most 5 keys each: %+v", s)
		}
		h.q.(TypedInspector[string]).Find(h.name[0])
	}
}

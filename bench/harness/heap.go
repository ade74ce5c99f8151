package harness

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// heapObjects counts the bytes of live objects and of dead ones not yet swept: what the
// process really needs at that moment.
const heapObjects = "/memory/classes/heap/objects:bytes"

func heapNow() uint64 {
	s := []metrics.Sample{{Name: heapObjects}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// LiveHeap is the heap that is reachable now. The second collection also frees what
// finalizers and pools held through the first.
func LiveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	return heapNow()
}

// heapWatch looks at the heap often and remembers the largest size.
type heapWatch struct {
	quit chan struct{}
	peak chan uint64
}

// heapInterval is short against a collection cycle of the heaps measured here, and long
// against the microsecond that a look takes.
const heapInterval = 5 * time.Millisecond

func watchHeap() heapWatch {
	w := heapWatch{quit: make(chan struct{}), peak: make(chan uint64)}
	go w.loop()
	return w
}

func (w heapWatch) loop() {
	tick := time.NewTicker(heapInterval)
	defer tick.Stop()
	s := []metrics.Sample{{Name: heapObjects}} // reused, so that watching allocates nothing
	var peak uint64
	for {
		metrics.Read(s)
		peak = max(peak, s[0].Value.Uint64())
		select {
		case <-tick.C:
		case <-w.quit:
			w.peak <- peak
			return
		}
	}
}

// stop takes a last look and returns the largest size seen.
func (w heapWatch) stop() uint64 {
	last := heapNow()
	close(w.quit)
	return max(last, <-w.peak)
}

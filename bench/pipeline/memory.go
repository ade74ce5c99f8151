package pipeline

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

func metric(name string) float64 {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	return float64(s[0].Value.Uint64())
}

// reachable is the heap that is in use now.
func reachable() float64 {
	runtime.GC()
	runtime.GC()
	return metric("/memory/classes/heap/objects:bytes")
}

// inUse is the memory that the process has from the system: about what it has resident.
func inUse() float64 {
	return metric("/memory/classes/total:bytes") - metric("/memory/classes/heap/released:bytes")
}

// allocated returns the total size of all allocations so far.
func allocated() float64 { return metric("/gc/heap/allocs:bytes") }

// memoryWatch looks often at the memory that the process has from the system, and remembers the most.
type memoryWatch struct {
	quit chan struct{}
	done sync.WaitGroup
	most float64
}

func watchMemory() *memoryWatch {
	w := &memoryWatch{quit: make(chan struct{})}
	w.done.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			w.most = max(w.most, inUse())
			select {
			case <-tick.C:
			case <-w.quit:
				return
			}
		}
	})
	return w
}

func (w *memoryWatch) stop() float64 {
	close(w.quit)
	w.done.Wait()
	return max(w.most, inUse())
}

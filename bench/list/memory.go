package list

import (
	"runtime/debug"
	"runtime/metrics"

	"vedette.dev/bench/internal/rss"
)

// memory says how much memory a run needed at its worst, from the process's own pages: what the kernel had to give it.
// That includes what the garbage collector had not yet found, and what no sampling would see.
type memory struct {
	rssBefore, heapBefore uint64
	rssPeak               uint64
}

// begin is called directly before the run. Memory of the preparation goes back to the system, so that the run cannot
// use it unseen.
func (m *memory) begin() error {
	debug.FreeOSMemory()
	m.heapBefore = heap()
	if err := rss.Reset(); err != nil {
		return err
	}
	var err error
	m.rssBefore, err = rss.Now()
	return err
}

// end is called directly after the run.
func (m *memory) end() error {
	var err error
	m.rssPeak, err = rss.Peak()
	return err
}

// extra is what the run needed at its worst beyond what its result still holds. It is called after a garbage collection.
func (m *memory) extra() float64 {
	kept := max(0, float64(heap())-float64(m.heapBefore))
	return max(0, float64(m.rssPeak)-float64(m.rssBefore)-kept)
}

func heap() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

package list

import (
	"bufio"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
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
	// Writing 5 sets the peak to the current size.
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return fmt.Errorf("these workloads measure memory as only Linux can: %w", err)
	}
	var err error
	m.rssBefore, err = statusBytes("VmRSS")
	return err
}

// end is called directly after the run.
func (m *memory) end() error {
	var err error
	m.rssPeak, err = statusBytes("VmHWM")
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

// statusBytes is a size in /proc/self/status, where a line is like "VmHWM:	   12345 kB".
func statusBytes(name string) (uint64, error) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		value, ok := strings.CutPrefix(lines.Text(), name+":")
		if !ok {
			continue
		}
		kib, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("/proc/self/status: %s: %w", name, err)
		}
		return kib << 10, nil
	}
	return 0, fmt.Errorf("/proc/self/status has no %s", name)
}

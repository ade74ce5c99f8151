package harness

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// warm touches as much memory as the workloads may need, and gives it back. It never takes more than two thirds of what is free, and
// it is not an error if the system has none: the figures are then noisier.
func warm(workloads []Workload, scale float64) {
	var need uint64
	for _, w := range workloads {
		need = max(need, w.Memory)
	}
	need = min(uint64(float64(need)*min(scale, 1)), available()/3*2)
	if need < 1<<20 {
		return
	}
	memory, err := syscall.Mmap(-1, 0, int(need), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return
	}
	for i := 0; i < len(memory); i += os.Getpagesize() {
		memory[i] = 1
	}
	_ = syscall.Munmap(memory)
}

// available is how much memory is free, in bytes; 0 if that is not known.
func available() uint64 {
	kib, _, _ := strings.Cut(procField("/proc/meminfo", "MemAvailable"), " ")
	n, _ := strconv.ParseUint(kib, 10, 64)
	return n << 10
}

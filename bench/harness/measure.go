package harness

import (
	"fmt"
	"maps"
	"runtime"
	"syscall"
	"time"
)

// The figures that Measure takes of every trial.
const (
	Wall   = "wall"       // ns of elapsed time per operation
	CPU    = "cpu"        // ns of processor time per operation, all threads, garbage collector included
	Allocs = "allocs"     // allocations per operation
	Volume = "alloc size" // bytes allocated per operation
	Peak   = "peak heap"  // bytes of heap above those in use before, at the worst moment
	Kept   = "kept heap"  // bytes of heap still in use after the run, above those before
)

// Measure prepares one trial, runs it, checks it and returns its figures.
func Measure(w Workload, c Config, p Profiles) (Sample, error) {
	trial, err := w.Prepare(c)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	sample, err := measured(trial, p)
	if err != nil {
		return nil, err
	}
	own, err := trial.Finish()
	if err != nil {
		return nil, fmt.Errorf("check failed: %w", err)
	}
	maps.Copy(sample, own)
	return sample, nil
}

// measured runs the trial with all instruments around it.
func measured(trial Trial, p Profiles) (Sample, error) {
	live := LiveHeap()
	watch := watchHeap()
	if err := p.start(); err != nil {
		return nil, err
	}
	var before, after reading
	before.allocations()
	before.clocks()

	trial.Run()

	after.clocks()
	after.allocations()
	peak := watch.stop()
	if err := p.stop(); err != nil {
		return nil, err
	}
	kept := LiveHeap()
	runtime.KeepAlive(trial) // kept is about what the trial still holds

	ops := float64(trial.Ops())
	return Sample{
		Wall:   float64(after.at.Sub(before.at)) / ops,
		CPU:    float64(after.cpu-before.cpu) / ops,
		Allocs: float64(after.mallocs-before.mallocs) / ops,
		Volume: float64(after.bytes-before.bytes) / ops,
		Peak:   above(peak, live),
		Kept:   above(kept, live),
	}, nil
}

// above is the part of got that exceeds base. Memory of the preparation that is freed only
// later can make it slightly negative, which means none.
func above(got, base uint64) float64 {
	return max(0, float64(got)-float64(base))
}

// reading is one look at all counters that only grow.
type reading struct {
	at             time.Time
	cpu            time.Duration
	mallocs, bytes uint64
}

func (r *reading) clocks() { r.at, r.cpu = time.Now(), ProcessorTime() }

// allocations stops the world for a moment, so it is called outside of the clocks.
func (r *reading) allocations() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	r.mallocs, r.bytes = m.Mallocs, m.TotalAlloc
}

// ProcessorTime is the user and system time of this process so far.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // only a wrong argument can fail
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

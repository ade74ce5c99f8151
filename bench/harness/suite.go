package harness

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"
)

// Suite is one run of the program: which workloads, how often, how large.
type Suite struct {
	Workloads []Workload
	Repeats   int
	Scale     float64

	// Timeout is how long one measurement may take.
	Timeout time.Duration

	// CPUProfiles and MemProfiles are folders for one profile a measurement, or empty.
	CPUProfiles, MemProfiles string

	// Progress receives one line a measurement.
	Progress io.Writer
}

// Run takes all measurements. The first that fails ends the run: the figures of a broken
// implementation are worth nothing.
func (s Suite) Run(ctx context.Context) ([]Result, error) {
	results := make([]Result, 0, len(s.Workloads))
	for _, w := range s.Workloads {
		r := Result{Workload: w}
		for repeat := 1; repeat <= s.Repeats; repeat++ {
			if err := s.repeat(ctx, &r, repeat); err != nil {
				return nil, err
			}
		}
		results = append(results, r)
	}
	return results, nil
}

// repeat measures every side of a workload once.
func (s Suite) repeat(ctx context.Context, r *Result, repeat int) error {
	sides := r.Workload.sides()
	for _, side := range sides.order(repeat) {
		j := s.job(r.Workload, side, repeat)
		sample, err := runChild(ctx, j, s.Timeout)
		if err != nil {
			return fmt.Errorf("%s: %w", j, err)
		}
		if err := r.add(side, sample); err != nil {
			return fmt.Errorf("%s: %w", j, err)
		}
		main := r.Workload.rows()[0]
		fmt.Fprintf(s.Progress, "%s: %s\n", j, main.Unit.format(sample[main.Value]))
	}
	return nil
}

func (s Suite) job(w Workload, side string, repeat int) Job {
	j := Job{Workload: w.Name, Side: side, Repeat: repeat, Scale: s.Scale}
	if s.CPUProfiles != "" {
		j.Profiles.CPU = filepath.Join(s.CPUProfiles, j.file("cpu.pprof"))
	}
	if s.MemProfiles != "" {
		j.Profiles.Mem = filepath.Join(s.MemProfiles, j.file("mem.pprof"))
	}
	return j
}

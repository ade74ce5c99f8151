package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
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
	chosen := s.possible()
	warm(chosen, s.Scale)
	results := make([]Result, 0, len(chosen))
	for _, group := range groups(chosen) {
		part := make([]Result, len(group))
		for i, w := range group {
			part[i].Workload = w
		}
		for repeat := 1; repeat <= s.repeats(group[0]); repeat++ {
			if err := s.repeat(ctx, part, repeat); err != nil {
				return nil, err
			}
		}
		results = append(results, part...)
	}
	return results, nil
}

// possible leaves out the workloads with a quota where cgroups cannot be made, with a message.
func (s Suite) possible() []Workload {
	return slices.DeleteFunc(slices.Clone(s.Workloads), func(w Workload) bool {
		if w.Quota == 0 {
			return false
		}
		g, err := newCPUGroup(w.Quota)
		if err == nil {
			err = g.remove()
		}
		if err != nil {
			fmt.Fprintf(s.Progress, "%s: skipped, no cgroup with a CPU quota: %v\n", w.Name, err)
		}
		return err != nil
	})
}

// groups puts workloads that follow each other together if they have the same baseline.
func groups(all []Workload) [][]Workload {
	var out [][]Workload
	for _, w := range all {
		if n := len(out); n > 0 && w.Together != "" && out[n-1][0].Together == w.Together {
			out[n-1] = append(out[n-1], w)
			continue
		}
		out = append(out, []Workload{w})
	}
	return out
}

func (s Suite) repeats(w Workload) int {
	if w.MaxRepeats > 0 {
		return min(s.Repeats, w.MaxRepeats)
	}
	return s.Repeats
}

// repeat measures every side of the workloads of a group once. The baseline, if there is one, belongs to the first, and counts
// for all.
func (s Suite) repeat(ctx context.Context, group []Result, repeat int) error {
	turns := make([]func() error, 0, len(group)+1)
	if side := group[0].Workload.sides().Baseline; side != "" {
		turns = append(turns, func() error { return s.measure(ctx, group, side, repeat) })
	}
	for i := range group {
		turns = append(turns, func() error {
			return s.measure(ctx, group[i:i+1], group[i].Workload.sides().Candidate, repeat)
		})
	}
	if repeat%2 == 0 {
		slices.Reverse(turns)
	}
	for _, turn := range turns {
		if err := turn(); err != nil {
			return err
		}
	}
	return nil
}

// measure measures the first workload on a side once, and records the result for all.
func (s Suite) measure(ctx context.Context, group []Result, side string, repeat int) error {
	w := group[0].Workload
	j := s.job(w, side, repeat)
	sample, err := s.child(ctx, j, w.Quota)
	if err != nil {
		return fmt.Errorf("%s: %w", j, err)
	}
	for i := range group {
		if err := group[i].add(side, sample); err != nil {
			return fmt.Errorf("%s: %w", j, err)
		}
	}
	main := w.rows()[0]
	fmt.Fprintf(s.Progress, "%s: %s\n", j, main.Unit.format(sample[main.Value]))
	return nil
}

// child takes one measurement in a process of its own, under a CPU quota if there is one.
func (s Suite) child(ctx context.Context, j Job, quota float64) (sample Sample, err error) {
	if quota == 0 {
		return runChild(ctx, j, s.Timeout)
	}
	g, err := newCPUGroup(quota)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.remove()) }()
	j.CPUGroup = g.dir
	return runChild(ctx, j, s.Timeout)
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

package harness

import (
	"fmt"
	"slices"
)

// Result holds the samples of one workload, one a repeat on each side.
type Result struct {
	Workload  Workload
	baseline  []Sample
	candidate []Sample
}

// add files a sample after checking that it has a figure for every row: a misspelt name
// must not become a column of zeros.
func (r *Result) add(side string, s Sample) error {
	for _, row := range r.Workload.rows() {
		if _, ok := s[row.Value]; !ok {
			return fmt.Errorf("the sample lacks %q", row.Value)
		}
	}
	if side == r.Workload.sides().Baseline {
		r.baseline = append(r.baseline, s)
	} else {
		r.candidate = append(r.candidate, s)
	}
	return nil
}

// comparison is one figure of both sides.
type comparison struct {
	baseline, candidate float64 // medians over the repeats

	// hasRatio is false if there is no baseline or if it is zero.
	hasRatio bool
	ratio    float64 // of the medians
	// low and high are the extremes of the ratio within one repeat.
	low, high float64
}

func (r Result) compare(value string) comparison {
	base, cand := figures(r.baseline, value), figures(r.candidate, value)
	c := comparison{candidate: median(cand)}
	if len(base) == 0 {
		return c
	}
	c.baseline = median(base)
	if slices.Min(base) <= 0 {
		return c
	}
	ratios := make([]float64, len(base))
	for i := range base {
		ratios[i] = cand[i] / base[i]
	}
	c.hasRatio, c.ratio = true, c.candidate/c.baseline
	c.low, c.high = slices.Min(ratios), slices.Max(ratios)
	return c
}

func figures(samples []Sample, value string) []float64 {
	out := make([]float64, len(samples))
	for i, s := range samples {
		out[i] = s[value]
	}
	return out
}

// median is the middle value, or the mean of the two in the middle; of no values it is 0.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	mid := len(s) / 2
	if len(s)%2 == 1 {
		return s[mid]
	}
	return (s[mid-1] + s[mid]) / 2
}

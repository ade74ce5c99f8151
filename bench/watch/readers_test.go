package watch

import (
	"slices"
	"testing"
)

func TestLateness(t *testing.T) {
	r := &readers{seen: []int64{150, 900, 700}}
	for n := range 3 * sampled {
		r.report.Times = append(r.report.Times, int64(n))
	}
	want := []int64{150 - 9, 700 - 29, 900 - 19}
	if got := r.lateness(); !slices.Equal(got, want) {
		t.Errorf("late by %d, want %d", got, want)
	}
	for share, p := range map[float64]float64{0.01: 141, 0.5: 671, 0.99: 881} {
		if got := percentile(want, share); got != p {
			t.Errorf("of %v the part %v is up to %v, want %v", want, share, got, p)
		}
	}
}

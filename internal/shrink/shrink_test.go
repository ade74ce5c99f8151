package shrink

import (
	"maps"
	"testing"
)

func TestAContainerIsRebuiltBelowAnEighthOfItsPeak(t *testing.T) {
	for _, c := range []struct {
		peak, n int
		due     bool
	}{
		{0, 0, false},
		{Min - 1, 0, false},
		{Min, Min/ratio - 1, true},
		{Min, Min / ratio, false},
		{100 * Min, 100*Min/ratio - 1, true},
		{100 * Min, 100 * Min / ratio, false},
	} {
		var p Peak
		p.Grow(c.peak)
		p.Grow(c.n) // fewer entries do not lower the peak
		if got := p.Due(c.n); got != c.due {
			t.Errorf("%d entries, %d at the peak: due %v, want %v", c.n, c.peak, got, c.due)
		}
		p.Reset(c.n)
		if p.Due(c.n) {
			t.Errorf("%d entries: due again after it was rebuilt", c.n)
		}
	}
}

func TestMapCopiesAllEntries(t *testing.T) {
	m := map[string]int{"a": 1, "b": 2}
	if got := Map(m); !maps.Equal(got, m) {
		t.Errorf("got %v, want %v", got, m)
	}
}

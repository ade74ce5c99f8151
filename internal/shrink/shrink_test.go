package shrink

import (
	"maps"
	"strconv"
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

func TestAStringMapHasWhatWasPut(t *testing.T) {
	var m StringMap[int]
	m.Delete("none")
	if _, ok := m.Find("a"); ok || m.Get("a") != 0 || m.Len() != 0 {
		t.Error("the zero value is not empty")
	}
	const peak = 4 * Min
	for i := range peak {
		m.Put(strconv.Itoa(i), i)
	}
	for i := 10; i < peak; i++ {
		m.Delete(strconv.Itoa(i))
	}
	want := map[string]int{}
	for i := range 10 {
		want[strconv.Itoa(i)] = i
	}
	if got := maps.Collect(m.All()); !maps.Equal(got, want) || m.Len() != 10 {
		t.Errorf("got %v, want %v", got, want)
	}
	if v, ok := m.Find("0"); !ok || v != 0 || m.Get("9") != 9 {
		t.Error("an entry was not found")
	}
	if m.peak.n >= Min {
		t.Errorf("the map was not rebuilt: its peak is %d", m.peak.n)
	}
}

package harness

import "testing"

func TestMedian(t *testing.T) {
	tests := []struct {
		values []float64
		want   float64
	}{
		{nil, 0},
		{[]float64{4}, 4},
		{[]float64{9, 1, 5}, 5},
		{[]float64{8, 2, 100, 4}, 6},
	}
	for _, tt := range tests {
		if got := median(tt.values); got != tt.want {
			t.Errorf("median(%v) = %v, want %v", tt.values, got, tt.want)
		}
	}
}

func TestCompare(t *testing.T) {
	r := Result{
		baseline:  []Sample{{Wall: 100}, {Wall: 200}, {Wall: 400}},
		candidate: []Sample{{Wall: 50}, {Wall: 180}, {Wall: 80}},
	}
	want := comparison{baseline: 200, candidate: 80, hasRatio: true, ratio: 0.4, low: 0.2, high: 0.9}
	if got := r.compare(Wall); got != want {
		t.Errorf("compare = %+v, want %+v", got, want)
	}
}

func TestCompareWithoutARatio(t *testing.T) {
	candidate := []Sample{{Kept: 50}}
	for name, baseline := range map[string][]Sample{"no baseline": nil, "zero baseline": {{Kept: 0}}} {
		c := Result{baseline: baseline, candidate: candidate}.compare(Kept)
		if c.hasRatio || c.candidate != 50 {
			t.Errorf("%s: %+v, want the candidate's figure and no ratio", name, c)
		}
	}
}

func TestAim(t *testing.T) {
	tests := []struct {
		aim           Aim
		got           comparison
		text, verdict string
	}{
		{Aim{}, comparison{hasRatio: true, ratio: 0.5}, none, none},
		{Ratio(0.5), comparison{hasRatio: true, ratio: 0.5}, "≤ 0.50", "yes"},
		{Ratio(0.5), comparison{hasRatio: true, ratio: 0.51}, "≤ 0.50", "no"},
		{Ratio(0.5), comparison{}, "≤ 0.50", none},
		{AtMost(5e7), comparison{candidate: 4e7}, "≤ 50.0 ms", "yes"},
		{AtMost(5e7), comparison{candidate: 6e7, hasRatio: true, ratio: 0.1}, "≤ 50.0 ms", "no"},
	}
	for _, tt := range tests {
		if got := tt.aim.text(Time); got != tt.text {
			t.Errorf("%+v: text %q, want %q", tt.aim, got, tt.text)
		}
		if got := tt.aim.verdict(tt.got); got != tt.verdict {
			t.Errorf("%+v on %+v: %s, want %s", tt.aim, tt.got, got, tt.verdict)
		}
	}
}

func TestUnits(t *testing.T) {
	tests := []struct {
		unit  Unit
		value float64
		want  string
	}{
		{Time, 0, "0 ns"},
		{Time, 98.24, "98.2 ns"},
		{Time, 1234, "1.23 µs"},
		{Time, 4.8e9, "4.80 s"},
		{Time, 7.2e12, "7200 s"},
		{Bytes, 1536, "1.50 KiB"},
		{Bytes, 12 << 20, "12.0 MiB"},
		{Count, 0.25, "0.25"},
	}
	for _, tt := range tests {
		if got := tt.unit.format(tt.value); got != tt.want {
			t.Errorf("%v in unit %d: %q, want %q", tt.value, tt.unit, got, tt.want)
		}
	}
}

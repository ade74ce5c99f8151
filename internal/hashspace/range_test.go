package hashspace

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestRange(t *testing.T) {
	for _, c := range []struct {
		r    Range
		text string
		in   []uint64
		out  []uint64
	}{
		{Everything(), "[0x0000000000000000, 0x10000000000000000)", []uint64{0, 1, math.MaxUint64}, nil},
		{Range{0, 1}, "[0x0000000000000000, 0x0000000000000001)", []uint64{0}, []uint64{1, math.MaxUint64}},
		{Range{math.MaxUint64, 0}, "[0xffffffffffffffff, 0x10000000000000000)", []uint64{math.MaxUint64}, []uint64{0, math.MaxUint64 - 1}},
		{Range{16, 256}, "[0x0000000000000010, 0x0000000000000100)", []uint64{16, 255}, []uint64{15, 256}},
	} {
		if got := c.r.String(); got != c.text {
			t.Errorf("%#v is %s, want %s", c.r, got, c.text)
		}
		for _, h := range c.in {
			if !c.r.Contains(h) {
				t.Errorf("%v does not contain %#x", c.r, h)
			}
		}
		for _, h := range c.out {
			if c.r.Contains(h) {
				t.Errorf("%v contains %#x", c.r, h)
			}
		}
	}
}

func TestEqual(t *testing.T) {
	for _, n := range []int{-1, 0, 65537} {
		if got := Equal(n); got != nil {
			t.Errorf("Equal(%d) has %d ranges", n, len(got))
		}
	}
	for _, n := range []int{1, 2, 3, 7, 16, 1000, 65535, 65536} {
		ranges := Equal(n)
		if len(ranges) != n {
			t.Fatalf("Equal(%d) has %d ranges", n, len(ranges))
		}
		narrow, wide := uint64(math.MaxUint64), uint64(0)
		for i, r := range ranges {
			if i > 0 && r.Start != ranges[i-1].End {
				t.Fatalf("Equal(%d): %v does not begin where %v ends", n, r, ranges[i-1])
			}
			narrow, wide = min(narrow, r.last()-r.Start), max(wide, r.last()-r.Start)
		}
		if ranges[0].Start != 0 || ranges[n-1].End != 0 || wide-narrow > 1 {
			t.Errorf("Equal(%d) is from %v to %v, with widths from %d to %d", n, ranges[0], ranges[n-1], narrow, wide)
		}
	}
}

func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Range{rapid.Uint64().Draw(t, "start"), rapid.Uint64().Draw(t, "end")}
		at := rapid.OneOf(rapid.Uint64(), rapid.Just(r.Start), rapid.Just(r.End), rapid.Just(r.Start+1)).Draw(t, "at")
		a, b, err := r.Split(at)
		inside := r.valid() && r.Contains(at) && at != r.Start
		if (err == nil) != inside {
			t.Fatalf("%v split at %#x: %v", r, at, err)
		}
		if err != nil {
			return
		}
		if !mustSet(t, a, b).Equal(Set{r}) || !b.Contains(at) || a.Contains(at) {
			t.Fatalf("%v split at %#x is %v and %v", r, at, a, b)
		}
	})
}

package hashspace

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// edges cut the space into cells; the model of a set is which cells it has. They are where arithmetic goes wrong: at both
// ends of the space, one hash wide, and around the half.
var edges = []uint64{0, 1, 2, 5, 1 << 20, 1<<63 - 1, 1 << 63, 1<<63 + 1, 3 << 62, math.MaxUint64 - 1, math.MaxUint64}

type model uint32 // a bit for each cell

const allCells = model(1)<<11 - 1

func cell(i int) Range {
	if i == len(edges)-1 {
		return Range{edges[i], 0}
	}
	return Range{edges[i], edges[i+1]}
}

func (m model) set() Set {
	var s Set
	for i := range edges {
		if m&(1<<i) != 0 {
			s = s.Union(Set{cell(i)})
		}
	}
	return s
}

func agree(t *rapid.T, what string, s Set, m model) {
	t.Helper()
	verify(t, s)
	share := 0.0
	for i := range edges {
		c := cell(i)
		for _, h := range []uint64{c.Start, c.last(), c.Start + (c.last()-c.Start)/2} {
			if s.Contains(h) != (m&(1<<i) != 0) {
				t.Fatalf("%s: %v contains %#x: %v", what, s, h, s.Contains(h))
			}
		}
		if m&(1<<i) != 0 {
			share += c.share()
		}
	}
	if math.Abs(s.Share()-share) > 1e-12 {
		t.Fatalf("%s: the share of %v is %v, want %v", what, s, s.Share(), share)
	}
	if s.Empty() != (m == 0) || s.IsEverything() != (m == allCells) {
		t.Fatalf("%s: %v is empty: %v, is everything: %v", what, s, s.Empty(), s.IsEverything())
	}
}

func TestSetAlgebra(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.Map(rapid.Uint32(), func(n uint32) model { return model(n) & allCells })
		x, y := cells.Draw(t, "x"), cells.Draw(t, "y")
		a, b := x.set(), y.set()
		agree(t, "x", a, x)
		agree(t, "union", a.Union(b), x|y)
		agree(t, "intersect", a.Intersect(b), x&y)
		agree(t, "subtract", a.Subtract(b), x&^y)
		if a.Equal(b) != (x == y) {
			t.Fatalf("%v equals %v: %v", a, b, a.Equal(b))
		}
	})
}

func TestNewSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		starts := rapid.SliceOfN(rapid.IntRange(0, len(edges)), 0, 8).Draw(t, "starts")
		var ranges []Range
		var m model
		overlaps, invalid := false, false
		for _, start := range starts {
			end := rapid.IntRange(0, len(edges)).Draw(t, "end")
			at := func(i int) uint64 {
				if i == len(edges) {
					return 0
				}
				return edges[i]
			}
			r := Range{at(start), at(end)}
			ranges = append(ranges, r)
			if r.Start >= r.End && r.End != 0 {
				invalid = true
				continue
			}
			for i := range edges {
				if r.Contains(edges[i]) {
					overlaps = overlaps || m&(1<<i) != 0
					m |= 1 << i
				}
			}
		}
		s, err := NewSet(ranges...)
		if (err != nil) != (overlaps || invalid) {
			t.Fatalf("NewSet(%v): %v", ranges, err)
		}
		if err == nil {
			agree(t, "NewSet", s, m)
		}
	})
}

func TestErrorsNameTheRanges(t *testing.T) {
	_, err := NewSet(Range{0, 10}, Range{20, 30}, Range{25, 40})
	wantError(t, err, "[0x0000000000000014, 0x000000000000001e)", "[0x0000000000000019, 0x0000000000000028)", "overlap")
	_, err = NewSet(Range{7, 7})
	wantError(t, err, "[0x0000000000000007, 0x0000000000000007)", "is empty")
	_, err = NewSet(Range{8, 7})
	wantError(t, err, "[0x0000000000000008, 0x0000000000000007)", "is empty")
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error %q does not say %q", err, part)
		}
	}
}

func TestCover(t *testing.T) {
	half := uint64(1) << 63
	for _, c := range []struct {
		name     string
		sets     map[string]Set
		cover    []string // what the error says; nil for none
		disjoint []string
	}{
		{name: "whole", sets: map[string]Set{"a": {{0, half}}, "b": {{half, 0}}, "c": nil}},
		{name: "everything", sets: map[string]Set{"a": {Everything()}}},
		{name: "nothing", sets: nil, cover: []string{"no owner holds [0x0000000000000000, 0x10000000000000000)"}},
		{name: "no start", sets: map[string]Set{"a": {{1, 0}}}, cover: []string{"no owner holds [0x0000000000000000, 0x0000000000000001)"}},
		{name: "gap", sets: map[string]Set{"a": {{0, 5}}, "b": {{6, 0}}}, cover: []string{"no owner holds [0x0000000000000005, 0x0000000000000006)"}},
		{name: "no end", sets: map[string]Set{"a": {{0, half}}}, cover: []string{"no owner holds [0x8000000000000000, 0x10000000000000000)"}},
		{
			name: "overlap", sets: map[string]Set{"a": {{0, half + 1}}, "b": {{half, 0}}},
			cover:    []string{`"a" and "b"`, "[0x8000000000000000, 0x8000000000000001)"},
			disjoint: []string{`"a" and "b"`, "[0x8000000000000000, 0x8000000000000001)"},
		},
		{
			name: "twice", sets: map[string]Set{"a": {Everything()}, "b": {Everything()}},
			cover: []string{`"a" and "b" both hold [0x0000000000000000, 0x10000000000000000)`}, disjoint: []string{"both hold"},
		},
		{name: "invalid", sets: map[string]Set{"a": {{3, 3}}}, cover: []string{`"a"`, "is empty"}, disjoint: []string{`"a"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, check := range []struct {
				err  error
				want []string
			}{{Cover(c.sets), c.cover}, {Disjoint(c.sets), c.disjoint}} {
				if check.want == nil && check.err != nil {
					t.Error(check.err)
				}
				if check.want != nil {
					wantError(t, check.err, check.want...)
				}
			}
		})
	}
}

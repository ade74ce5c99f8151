package hashspace

import (
	"fmt"
	"math/bits"
)

// Range is a stretch [Start, End) of the space. An End of zero means 2^64, the end of the space, so that the zero Range is
// everything. There is no empty Range: NewSet returns an error for one with Start == End > 0 or Start > End > 0.
type Range struct{ Start, End uint64 }

// Everything is the whole space.
func Everything() Range { return Range{} }

// Contains reports whether the hash is in the range.
func (r Range) Contains(h uint64) bool { return h >= r.Start && (r.End == 0 || h < r.End) }

// String returns the range in the form "[0x0000000000000000, 0x10000000000000000)".
func (r Range) String() string { return "[" + bound(r.Start) + ", " + r.end() + ")" }

// Split cuts a range in two: the hashes before at, and those from at on. Neither part may be empty.
func (r Range) Split(at uint64) (Range, Range, error) {
	if !r.valid() {
		return Range{}, Range{}, invalid(r)
	}
	if at <= r.Start || at > r.last() {
		return Range{}, Range{}, fmt.Errorf("cannot split %v at %s: the point must lie inside it, after its start", r, bound(at))
	}
	return Range{r.Start, at}, Range{at, r.End}, nil
}

// maxEqual bounds how many ranges Equal and Quantiles make.
const maxEqual = 1 << 16

// Equal cuts the space into n ranges whose widths differ by one at most. It is nil unless 1 <= n <= 65536.
func Equal(n int) []Range {
	if n < 1 || n > maxEqual {
		return nil
	}
	ranges := make([]Range, n)
	for i := range ranges {
		if i > 0 {
			// i * 2^64 / n, in 128 bits; i < n, so that the quotient fits.
			start, _ := bits.Div64(uint64(i), 0, uint64(n))
			ranges[i].Start, ranges[i-1].End = start, start
		}
	}
	return ranges
}

func (r Range) valid() bool { return r.End == 0 || r.Start < r.End }

// last returns the greatest hash in the range. Unlike End it has no special case for 2^64, so most of this package uses it.
func (r Range) last() uint64 { return r.End - 1 }

// closed returns the range from start to last, both included.
func closed(start, last uint64) Range { return Range{start, last + 1} }

// space is 2^64.
const space = 1 << 64

// share returns the range's fraction of the space.
func (r Range) share() float64 { return (float64(r.last()-r.Start) + 1) / space }

func (r Range) end() string {
	if r.End == 0 {
		return spaceEnd
	}
	return bound(r.End)
}

const (
	spaceEnd = "0x10000000000000000"
	digits   = "0123456789abcdef"
)

// bound formats a hash as the server requires: 0x and sixteen digits.
func bound(h uint64) string {
	text := [18]byte{'0', 'x'}
	for i := len(text) - 1; i > 1; i-- {
		text[i] = digits[h&15]
		h >>= 4
	}
	return string(text[:])
}

func invalid(r Range) error {
	return fmt.Errorf("the range %v is empty: its start must be before its end", r)
}

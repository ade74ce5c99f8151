package harness

import "fmt"

// Aim is an upper limit for a figure. The zero value means that there is none.
type Aim struct {
	limit    float64
	absolute bool
}

// Ratio aims at candidate/baseline being at most limit.
func Ratio(limit float64) Aim { return Aim{limit: limit} }

// AtMost aims at the candidate's own figure being at most limit, whatever the baseline does.
func AtMost(limit float64) Aim { return Aim{limit: limit, absolute: true} }

// text is the aim as the table shows it.
func (a Aim) text(u Unit) string {
	switch {
	case a == Aim{}:
		return none
	case a.absolute:
		return "≤ " + u.format(a.limit)
	default:
		return fmt.Sprintf("≤ %.2f", a.limit)
	}
}

// verdict reports whether the aim was met by these medians.
func (a Aim) verdict(c comparison) string {
	got, known := c.ratio, c.hasRatio
	if a.absolute {
		got, known = c.candidate, true
	}
	switch {
	case a == Aim{} || !known:
		return none
	case got <= a.limit:
		return "yes"
	default:
		return "no"
	}
}

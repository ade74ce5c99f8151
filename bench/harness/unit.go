package harness

import "fmt"

// Unit says how a figure is written.
type Unit int

const (
	Time  Unit = iota // nanoseconds
	Bytes             // bytes
	Count             // a plain number
)

// none stands where a table has nothing to say.
const none = "–"

func (u Unit) format(v float64) string {
	switch u {
	case Time:
		return scaled(v, 1000, "ns", "µs", "ms", "s")
	case Bytes:
		return scaled(v, 1024, "B", "KiB", "MiB", "GiB")
	default:
		return significant(v)
	}
}

// scaled writes v in the largest unit in which it is at least one.
func scaled(v, step float64, units ...string) string {
	i := 0
	for v >= step && i < len(units)-1 {
		v /= step
		i++
	}
	return significant(v) + " " + units[i]
}

// significant keeps three digits: more would be noise.
func significant(v float64) string {
	switch {
	case v == 0 || v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}

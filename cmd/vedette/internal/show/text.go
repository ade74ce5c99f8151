package show

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Clean is text without what a terminal would obey: control characters, and those that change the direction of writing.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}

// Cut is text in at most width characters. What is cut off leaves a mark.
func Cut(text string, width int) string {
	if width <= 0 {
		return ""
	}
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + "…"
}

// Bytes is a size in the unit that fits.
func Bytes[N int | int64 | float64](n N) string {
	value, units := float64(n), []string{"B", "kB", "MB", "GB", "TB"}
	i := 0
	for value >= 999.5 && i < len(units)-1 {
		value /= 1000
		i++
	}
	if i == 0 || value >= 99.95 {
		return fmt.Sprintf("%.0f %s", value, units[i])
	}
	return fmt.Sprintf("%.1f %s", value, units[i])
}

// Count is a number with its thousands apart.
func Count[N int | int64 | uint64](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Rate is how many in a second.
func Rate(perSecond float64) string {
	switch {
	case perSecond >= 99.95:
		return Count(int64(perSecond + 0.5))
	case perSecond == 0 || perSecond >= 0.095:
		return fmt.Sprintf("%.1f", perSecond)
	}
	return fmt.Sprintf("%.2g", perSecond)
}

// Age is a duration in one or two units, as kubectl has it: 45s, 5m30s, 7h, 12d.
func Age(d time.Duration) string {
	s := int64(max(0, d) / time.Second)
	switch {
	case s < 120:
		return fmt.Sprintf("%ds", s)
	case s < 600:
		return two(s, 60, "m", "s")
	case s < 3*3600:
		return fmt.Sprintf("%dm", s/60)
	case s < 8*3600:
		return two(s/60, 60, "h", "m")
	case s < 48*3600:
		return fmt.Sprintf("%dh", s/3600)
	case s < 8*24*3600:
		return two(s/3600, 24, "d", "h")
	case s < 2*365*24*3600:
		return fmt.Sprintf("%dd", s/24/3600)
	}
	return two(s/24/3600, 365, "y", "d")
}

func two(n, base int64, large, small string) string {
	if n%base == 0 {
		return fmt.Sprintf("%d%s", n/base, large)
	}
	return fmt.Sprintf("%d%s%d%s", n/base, large, n%base, small)
}

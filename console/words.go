//go:build !vedette_noconsole

package console

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// count formats a whole number with thousands separators.
func count[N int | int64 | uint64](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}

// rate formats a rate per second, "–" if unknown.
func rate(perSecond float64) string {
	switch {
	case perSecond < 0 || math.IsNaN(perSecond):
		return "–"
	case perSecond == 0:
		return "0"
	case perSecond < 10:
		return digit(perSecond)
	}
	return count(int64(math.Round(perSecond)))
}

// digit formats with one decimal, unless that is zero.
func digit(v float64) string { return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0") }

// size formats a number of bytes.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1e6:
		return fmt.Sprintf("%.3g KB", float64(n)/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.3g MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.3g GB", float64(n)/1e9)
}

// perSecondSize formats a rate of bytes.
func perSecondSize(bytes float64) string {
	if bytes < 0 {
		return "–"
	}
	return size(int64(bytes))
}

// span formats a duration, with a reasonable number of digits.
func span(d time.Duration) string {
	switch d = max(0, d); {
	case d == 0:
		return "0"
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < 10*time.Millisecond:
		return digit(float64(d)/1e6) + " ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return digit(d.Seconds()) + " s"
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days", int(d.Hours())/24)
}

// ago formats the time since at, "never" if it is zero.
func ago(at, now time.Time) string {
	if at.IsZero() {
		return "never"
	}
	return span(now.Sub(at)) + " ago"
}

// until formats the time until at.
func until(at, now time.Time) string {
	if left := at.Sub(now); left > 0 {
		return "in " + span(left)
	}
	return "now"
}

func age(since, now time.Time) time.Duration {
	if since.IsZero() {
		return 0
	}
	return max(0, now.Sub(since))
}

func plural[N int | int64 | uint64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return count(n) + " " + what + "s"
}

// typeName returns a Go type without its pointer and without the package paths of type parameters: "*v1.Pod" is v1.Pod.
func typeName(t string) string {
	var b strings.Builder
	start := 0
	for i := 0; i <= len(t); i++ {
		if i < len(t) && !strings.ContainsRune("[],*", rune(t[i])) {
			continue
		}
		b.WriteString(t[start:i][strings.LastIndexByte(t[start:i], '/')+1:])
		if i < len(t) && t[i] != '*' {
			b.WriteByte(t[i])
		}
		start = i + 1
	}
	return b.String()
}

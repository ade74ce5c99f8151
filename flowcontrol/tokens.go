package flowcontrol

import (
	"math"
	"time"
)

// tokens is a token bucket with a variable rate.
//
// Invariant: 0 <= have <= burst, and have is the content of the bucket at the time at.
type tokens struct {
	burst, have float64
	at          time.Time
}

func (t *tokens) refill(now time.Time, rate float64) {
	if now.After(t.at) {
		t.have = min(t.burst, t.have+rate*now.Sub(t.at).Seconds())
		t.at = now
	}
}

// take takes a token and returns 0, or returns the time until there is one.
func (t *tokens) take(now time.Time, rate float64) time.Duration {
	t.refill(now, rate)
	if math.IsInf(rate, 1) {
		return 0
	}
	if t.have >= 1 {
		t.have--
		return 0
	}
	// Rounded up, and never 0: a wait that ends too early would be repeated.
	return max(1, time.Duration(math.Ceil((1-t.have)/rate*float64(time.Second))))
}

// drain empties the bucket, and does not refill it before then.
func (t *tokens) drain(then time.Time) {
	t.have = 0
	if then.After(t.at) {
		t.at = then
	}
}

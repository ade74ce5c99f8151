package flowcontrol

import (
	"net/http"
	"time"
)

// An Answer is what became of one request that a limiter let through.
type Answer struct {
	// StatusCode is that of the answer, or 0 when there was none.
	StatusCode int
	// RetryAfter is the Retry-After header of the answer, or 0.
	RetryAfter time.Duration
	// Err is why there was no answer.
	Err error
}

// pushback reports whether the server asked for less.
func (a Answer) pushback() bool {
	return a.StatusCode == http.StatusTooManyRequests || a.StatusCode >= 500 && a.RetryAfter > 0
}

// good reports whether the server did its work. A 404 or a 409 is work as well; a 500 or a broken connection says nothing
// about how much the server can take.
func (a Answer) good() bool {
	return a.Err == nil && a.StatusCode > 0 && a.StatusCode < 500 && !a.pushback()
}

package flowcontrol

import (
	"net/http"
	"time"
)

// An Answer is the result of one request that a limiter let through.
type Answer struct {
	// StatusCode is the status of the response, or 0 if there was none.
	StatusCode int
	// RetryAfter is the Retry-After header of the response, or 0.
	RetryAfter time.Duration
	// Err is the reason for which there was no response.
	Err error
}

// pushback reports whether the server asked for a lower rate.
func (a Answer) pushback() bool {
	return a.StatusCode == http.StatusTooManyRequests || a.StatusCode >= 500 && a.RetryAfter > 0
}

// good reports whether the server did its work. A 404 or a 409 counts; a 500 or a lost connection says nothing about
// the capacity of the server.
func (a Answer) good() bool {
	return a.Err == nil && a.StatusCode > 0 && a.StatusCode < 500 && !a.pushback()
}

package cache

import (
	"time"

	"k8s.io/utils/clock"
)

// RetryWithDeadline says for how long errors of a kind are worth another try.
type RetryWithDeadline interface {
	// After takes note of an error.
	After(error)
	// ShouldRetry tells whether to try again.
	ShouldRetry() bool
}

// NewRetryWithDeadline returns a RetryWithDeadline that has retryable errors tried again for maxRetryDuration from the
// first of them. After minResetPeriod without one, the next counts as the first.
func NewRetryWithDeadline(maxRetryDuration, minResetPeriod time.Duration, isRetryable func(error) bool, clock clock.Clock) RetryWithDeadline {
	return newRetryWithDeadline(maxRetryDuration, minResetPeriod, isRetryable, clock)
}

type retryWithDeadline struct {
	most, reset time.Duration
	retryable   func(error) bool
	clock       clock.Clock

	first, last time.Time // of the errors; zero if there was none
}

func newRetryWithDeadline(most, reset time.Duration, retryable func(error) bool, clock clock.Clock) *retryWithDeadline {
	return &retryWithDeadline{most: most, reset: reset, retryable: retryable, clock: clock}
}

func (r *retryWithDeadline) After(err error) {
	if !r.retryable(err) {
		return
	}
	now := r.clock.Now()
	if r.first.IsZero() || now.Sub(r.last) >= r.reset {
		r.first = now
	}
	r.last = now
}

func (r *retryWithDeadline) ShouldRetry() bool {
	if r.most <= 0 {
		return false
	}
	if r.clock.Now().Sub(r.first) <= r.most {
		return true
	}
	r.first, r.last = time.Time{}, time.Time{}
	return false
}

package cache

import (
	"time"

	"k8s.io/utils/clock"

	"vedette.dev/internal/listwatch"
)

// RetryWithDeadline says for how long errors of a kind are worth another try.
type RetryWithDeadline interface {
	// After takes note of an error.
	After(error)
	// ShouldRetry reports whether to try again.
	ShouldRetry() bool
}

// NewRetryWithDeadline returns a RetryWithDeadline that has retryable errors tried again for maxRetryDuration from the
// first of them. After minResetPeriod without one, the next counts as the first.
func NewRetryWithDeadline(maxRetryDuration, minResetPeriod time.Duration, isRetryable func(error) bool, clock clock.Clock) RetryWithDeadline {
	return listwatch.NewRetryWithDeadline(maxRetryDuration, minResetPeriod, isRetryable, clock)
}

package cache

import (
	"time"

	"k8s.io/utils/clock"

	"vedette.dev/internal/listwatch"
)

// RetryWithDeadline limits the time for which errors are retried.
type RetryWithDeadline interface {
	// After records an error.
	After(error)
	// ShouldRetry reports whether to retry.
	ShouldRetry() bool
}

// NewRetryWithDeadline returns a [RetryWithDeadline] that allows retries of retryable errors for maxRetryDuration from
// the first of them. After minResetPeriod without one, the next counts as the first.
func NewRetryWithDeadline(maxRetryDuration, minResetPeriod time.Duration, isRetryable func(error) bool, clock clock.Clock) RetryWithDeadline {
	return listwatch.NewRetryWithDeadline(maxRetryDuration, minResetPeriod, isRetryable, clock)
}

package cache

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"
)

func TestRetryWithDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		retryable := func(err error) bool { return errors.Is(err, errBad) }
		r := NewRetryWithDeadline(10*time.Second, time.Minute, retryable, clock.RealClock{})
		r.After(errBad)
		time.Sleep(6 * time.Second)
		r.After(errBad)
		wantEqual(t, "within the time", r.ShouldRetry(), true)
		time.Sleep(6 * time.Second)
		r.After(errBad)
		wantEqual(t, "counted from the first", r.ShouldRetry(), false)
		r.After(errBad)
		wantEqual(t, "then it begins anew", r.ShouldRetry(), true)
		time.Sleep(59 * time.Second)
		r.After(errors.New("of another kind"))
		time.Sleep(time.Second)
		r.After(errBad)
		wantEqual(t, "and after a time without one", r.ShouldRetry(), true)
		never := NewRetryWithDeadline(0, time.Minute, retryable, clock.RealClock{})
		never.After(errBad)
		wantEqual(t, "no time", never.ShouldRetry(), false)
	})
}

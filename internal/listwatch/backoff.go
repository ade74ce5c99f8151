package listwatch

import (
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"
)

const (
	backoffFirst = 800 * time.Millisecond
	// backoffSoon is the longest wait at first, so that a reflector goes on within seconds after a short failure.
	backoffSoon = 5 * time.Second
	// backoffLate is the longest wait when failures have gone on for backoffSteady: by then a server is down, not busy.
	backoffLate   = 30 * time.Second
	backoffSteady = 2 * time.Minute
	// backoffReset is the time without a failure after which the next wait is the first again.
	backoffReset = 2 * time.Minute
	// maxSuggested is the longest wait that a server can ask for.
	maxSuggested = 5 * time.Minute

	recheckFirst = time.Second
	recheckLate  = 5 * time.Minute
)

func random() float64 { return rand.Float64() }

// backoff returns how long to wait after each failure. It is used by the goroutine of the reflector only.
type backoff struct {
	clock  clock.Clock
	random func() float64
	custom wait.DelayFunc // used in place of all that follows, if not nil

	first, soon, late time.Duration

	delay time.Duration // the last one, before the random part was taken off
	since time.Time     // when the first of these failures was
	until time.Time     // when the last wait ends
}

func newBackoff(r *Reflector, custom *wait.Backoff) *backoff {
	b := &backoff{clock: r.config.Clock, random: r.jitter, first: backoffFirst, soon: backoffSoon, late: backoffLate}
	if custom != nil {
		b.custom = custom.DelayWithReset(r.config.Clock, backoffReset)
	}
	return b
}

// jitter reads Random at each call, so that tests can replace it.
func (r *Reflector) jitter() float64 { return r.Random() }

// next returns how long to wait now.
func (b *backoff) next() time.Duration {
	if b.custom != nil {
		return b.custom()
	}
	now := b.clock.Now()
	if b.delay == 0 || now.Sub(b.until) > backoffReset {
		b.delay, b.since = b.first/2, now
	}
	most := b.soon
	if now.Sub(b.since) >= backoffSteady {
		most = b.late
	}
	b.delay = min(2*b.delay, most)
	// The random part is subtracted, so that the maximum wait is the documented one.
	wait := b.delay - time.Duration(b.random()*float64(b.delay)/2)
	b.until = now.Add(wait)
	return wait
}

// forget makes the next wait the first.
func (b *backoff) forget() { b.delay = 0 }

// suggestedDelay returns how long the server asks the client to wait.
func suggestedDelay(err error) time.Duration {
	seconds, ok := apierrors.SuggestsClientDelay(err)
	if !ok || seconds <= 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, maxSuggested)
}

const (
	fallbackFirst = 10 * time.Minute
	fallbackLast  = 4 * time.Hour
	// streamTries is how many streaming lists in a row may break off before there is a list in pages.
	streamTries = 2
)

// watchListFallback decides between a streaming list (WatchList) and a list in pages. If a server does not support the
// former, it is tried again after a while: the server may have been upgraded.
type watchListFallback struct {
	after  time.Time // when to try again
	pause  time.Duration
	broken int // streaming lists in a row that ended before they were complete
}

func (l *watchListFallback) mayWatchList(now time.Time) bool { return !now.Before(l.after) }

// refused records that the server does not support streaming lists.
func (l *watchListFallback) refused(now time.Time) {
	l.pause = min(max(fallbackFirst, 2*l.pause), fallbackLast)
	l.after = now.Add(l.pause)
	l.broken = 0
}

// brokeOff records that a streaming list was interrupted, and reports whether to list in pages.
func (l *watchListFallback) brokeOff(now time.Time) bool {
	l.broken++
	if l.broken < streamTries {
		return false
	}
	l.refused(now)
	return true
}

// succeeded records that a streaming list was complete.
func (l *watchListFallback) succeeded() { *l = watchListFallback{} }

// recheck is when to list objects again that could not be decoded. There is no event when they can be decoded: the
// server may have been fixed, and sends nothing for objects that have not changed.
type recheck struct {
	pace backoff
	at   time.Time // zero for never; guarded by the lock of the reflector
}

// Recheck schedules a recheck of objects that could not be decoded outside of the reflector. It may be called by any
// goroutine.
func (r *Reflector) Recheck() {
	if _, due := r.dueForRecheck(); !due {
		r.setRecheck(r.config.Clock.Now().Add(recheckFirst))
		r.checkSoon.Store(true)
	}
}

// recheckLater schedules a recheck if needed, after a new state or an event.
func (r *Reflector) recheckLater(needed bool) {
	if !needed {
		r.recheck.pace.forget()
		r.setRecheck(time.Time{})
		return
	}
	r.setRecheck(r.config.Clock.Now().Add(r.recheck.pace.next()))
}

func (r *Reflector) setRecheck(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recheck.at = at
}

// dueForRecheck returns the time until the next recheck, and whether there is one.
func (r *Reflector) dueForRecheck() (time.Duration, bool) {
	now := r.config.Clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.recheck.at.Sub(now), !r.recheck.at.IsZero()
}

// RetryWithDeadline limits the time for which errors are retried.
type RetryWithDeadline struct {
	most, reset time.Duration
	retryable   func(error) bool
	clock       clock.Clock

	first, last time.Time // of the errors; zero if there was none
}

// NewRetryWithDeadline returns a [RetryWithDeadline] that allows retries of retryable errors for most from the first of
// them. After reset without one, the next counts as the first.
func NewRetryWithDeadline(most, reset time.Duration, retryable func(error) bool, clock clock.Clock) *RetryWithDeadline {
	return &RetryWithDeadline{most: most, reset: reset, retryable: retryable, clock: clock}
}

// After records an error.
func (r *RetryWithDeadline) After(err error) {
	if !r.retryable(err) {
		return
	}
	now := r.clock.Now()
	if r.first.IsZero() || now.Sub(r.last) >= r.reset {
		r.first = now
	}
	r.last = now
}

// ShouldRetry reports whether to retry.
func (r *RetryWithDeadline) ShouldRetry() bool {
	if r.most <= 0 {
		return false
	}
	if r.clock.Now().Sub(r.first) <= r.most {
		return true
	}
	r.first, r.last = time.Time{}, time.Time{}
	return false
}

package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"

	"vedette.dev/flowcontrol"
	"vedette.dev/internal/activity"
	"vedette.dev/internal/plainurl"
)

// HTTPClient is what can do an HTTP request.
type HTTPClient interface {
	Do(req *http.Request) (*http.Response, error)
}

// IsRetryableErrorFunc says whether a request that failed without an answer may be sent again.
type IsRetryableErrorFunc func(request *http.Request, err error) bool

// IsErrorRetryable calls the function.
func (f IsRetryableErrorFunc) IsErrorRetryable(request *http.Request, err error) bool {
	return f(request, err)
}

// lostConnection: the server may have gone away, and a read does no harm when it is sent twice.
func lostConnection(req *http.Request, err error) bool {
	return req.Method == http.MethodGet &&
		(utilnet.IsConnectionReset(err) || utilnet.IsProbableEOF(err) || utilnet.IsHTTP2ConnectionLost(err))
}

// endedOrTimedOut: a watch that could not begin is begun again.
func endedOrTimedOut(_ *http.Request, err error) bool {
	return utilnet.IsProbableEOF(err) || utilnet.IsTimeout(err)
}

func neverRetry(*http.Request, error) bool { return false }

// retryDelayAfterError is how long to wait when there was no answer that could have said it.
const retryDelayAfterError = time.Second

// exchange sends the request until an answer is final, whatever its status, and returns it with its body open. Every
// attempt but the first waits for the rate limiter; the first one's turn is the caller's business.
func (r *Request) exchange(ctx context.Context, retryable IsRetryableErrorFunc) (*http.Response, error) {
	if note := activity.From(ctx); note != nil {
		defer note.Enter(activity.Request, r.describe)()
	}
	var previous error
	var wait time.Duration
	for attempt := 0; ; attempt++ {
		if err := r.prepare(ctx, attempt, wait); err != nil {
			return nil, withPrevious(err, previous)
		}
		req, err := r.newHTTPRequest(ctx)
		if err != nil {
			return nil, err
		}
		resp, err := r.c.httpClient().Do(req)
		r.hideUserinfo(err)
		r.observe(ctx, resp, err)
		r.attempted(resp, attempt > 0)
		again := false
		if wait, again = r.retryAfter(req, resp, err, retryable); !again || attempt >= r.maxRetries {
			return resp, withPrevious(err, previous)
		}
		previous = err
		if resp != nil {
			previous = fmt.Errorf("the server answered %s", resp.Status)
			discard(resp)
		}
	}
}

// hideUserinfo removes what is before the "@" of the host from an error of http.Client, which hides passwords, but not tokens that
// stand in the place of a user name.
func (r *Request) hideUserinfo(err error) {
	var wrapped *url.Error
	if r.c.base != nil && r.c.base.User != nil && errors.As(err, &wrapped) {
		wrapped.URL = plainurl.Hide(wrapped.URL)
	}
}

// prepare waits until an attempt may be made.
func (r *Request) prepare(ctx context.Context, attempt int, wait time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.backoff == nil {
		sleep(ctx, wait)
	} else {
		r.backoff.SleepWithContext(ctx, max(wait, r.backoff.CalculateBackoffWithContext(ctx, r.URL())))
	}
	if attempt == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return r.throttle(ctx)
}

// throttle waits for the rate limiter.
func (r *Request) throttle(ctx context.Context) error {
	if r.rateLimiter == nil {
		return nil
	}
	if note := activity.From(ctx); note != nil {
		defer note.Enter(activity.Throttled, r.describe)()
	}
	began := r.c.began()
	err := r.rateLimiter.Wait(ctx)
	r.throttled(began)
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("client rate limiter Wait returned an error: %w", err)
	}
	return err
}

// describe is the request for people to read.
func (r *Request) describe() string { return r.verb + " " + r.URL().Path }

// retryAfter says whether to send the request again, and when.
func (r *Request) retryAfter(req *http.Request, resp *http.Response, err error, retryable IsRetryableErrorFunc) (time.Duration, bool) {
	switch {
	case r.bodyReader != nil:
		return 0, false // it has been read
	case err != nil:
		return retryDelayAfterError, retryable(req, err)
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500:
		return retryAfterHeader(resp)
	}
	return 0, false
}

// retryAfterHeader reads Retry-After, which is a number of seconds or a date.
func retryAfterHeader(resp *http.Response) (time.Duration, bool) {
	value := resp.Header.Get("Retry-After")
	if value == "" {
		return 0, false
	}
	if seconds, err := strconv.ParseInt(value, 10, 32); err == nil {
		return max(0, time.Duration(seconds)*time.Second), true
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(date)), true
	}
	return 0, false
}

// observe tells those who want to know how an attempt went.
func (r *Request) observe(ctx context.Context, resp *http.Response, err error) {
	code, after := 0, time.Duration(0)
	if resp != nil {
		code = resp.StatusCode
		after, _ = retryAfterHeader(resp)
	}
	if r.backoff != nil {
		r.backoff.UpdateBackoffWithContext(ctx, r.URL(), err, code)
	}
	if o, ok := r.rateLimiter.(flowcontrol.Observer); ok {
		o.Observe(flowcontrol.Answer{StatusCode: code, RetryAfter: after, Err: err})
	}
}

// discard lets the connection be used again: a small rest of the body is read to the end.
func discard(resp *http.Response) {
	const worthReading = 2 << 10
	if resp.ContentLength <= worthReading {
		_, _ = io.CopyN(io.Discard, resp.Body, worthReading)
	}
	_ = resp.Body.Close()
}

// previousError says in one line what went wrong before it went wrong for good.
type previousError struct {
	error
	previous error
}

func (e *previousError) Error() string {
	return fmt.Sprintf("%v - error from a previous attempt: %v", e.error, e.previous)
}

func (e *previousError) Unwrap() error { return e.error }

func withPrevious(err, previous error) error {
	if err == nil || previous == nil || err.Error() == previous.Error() {
		return err
	}
	// The URL is in err already.
	var urlErr *url.Error
	if errors.As(previous, &urlErr) {
		previous = urlErr.Err
	}
	return &previousError{error: err, previous: previous}
}

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
	"vedette.dev/internal/reaction"
)

// HTTPClient sends HTTP requests.
type HTTPClient interface {
	Do(req *http.Request) (*http.Response, error)
}

// IsRetryableErrorFunc reports whether a request that failed without a response may be retried.
type IsRetryableErrorFunc func(request *http.Request, err error) bool

// IsErrorRetryable calls the function.
func (f IsRetryableErrorFunc) IsErrorRetryable(request *http.Request, err error) bool {
	return f(request, err)
}

// lostConnection: the server may have restarted, and a GET can be sent twice.
func lostConnection(req *http.Request, err error) bool {
	return req.Method == http.MethodGet &&
		(utilnet.IsConnectionReset(err) || utilnet.IsProbableEOF(err) || utilnet.IsHTTP2ConnectionLost(err))
}

// endedOrTimedOut: a watch that could not be started is retried.
func endedOrTimedOut(_ *http.Request, err error) bool {
	return utilnet.IsProbableEOF(err) || utilnet.IsTimeout(err)
}

func neverRetry(*http.Request, error) bool { return false }

// retryDelayAfterError is the delay of a retry after a failure without a response.
const retryDelayAfterError = time.Second

// exchange sends the request, with retries, and returns the final response, whatever its status, with its body open.
// Every attempt but the first waits for the rate limiter; for the first one the caller has waited.
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
		if r.inJSON(resp) { // once
			discard(resp)
			wait = 0
			continue
		}
		again := false
		if wait, again = r.retryAfter(req, resp, err, retryable); !again || attempt >= r.maxRetries {
			return resp, withPrevious(err, previous)
		}
		previous = err
		if resp != nil {
			previous = fmt.Errorf("status %s", resp.Status)
			discard(resp)
		}
	}
}

// hideUserinfo removes the userinfo of the host from an error of http.Client, which hides passwords, but not tokens in
// place of a user name.
func (r *Request) hideUserinfo(err error) {
	var wrapped *url.Error
	if r.c.base != nil && r.c.base.User != nil && errors.As(err, &wrapped) {
		wrapped.URL = plainurl.Hide(wrapped.URL)
	}
}

// plain returns the error of a reactor of a fake client as it is, without what http.Client adds.
func plain(err error) error {
	if given := reaction.Given(err); given != nil {
		return given
	}
	return err
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

// describe returns the request for people to read.
func (r *Request) describe() string { return r.verb + " " + r.URL().Path }

// retryAfter reports whether to retry the request, and when.
func (r *Request) retryAfter(req *http.Request, resp *http.Response, err error, retryable IsRetryableErrorFunc) (time.Duration, bool) {
	switch {
	case r.bodyReader != nil:
		return 0, false // it has been consumed
	case err != nil:
		return retryDelayAfterError, retryable(req, err)
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500:
		return retryAfterHeader(resp)
	}
	return 0, false
}

// retryAfterHeader parses Retry-After, which is a number of seconds or a date.
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

// observe reports an attempt to the metrics and the backoff manager.
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

// discard closes the body and lets the connection be reused: a small rest of the body is read to the end.
func discard(resp *http.Response) {
	const worthReading = 2 << 10
	if resp.ContentLength <= worthReading {
		_, _ = io.CopyN(io.Discard, resp.Body, worthReading)
	}
	_ = resp.Body.Close()
}

// previousError adds the error of an earlier attempt to the final one.
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

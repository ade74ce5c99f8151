package rest

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"vedette.dev/transport"
)

// ResponseWrapper is a request whose response body is only copied, such as that for the log of a pod.
type ResponseWrapper interface {
	DoRaw(context.Context) ([]byte, error)
	Stream(context.Context) (io.ReadCloser, error)
}

// Do sends the request and reads the whole response, up to Config.MaxResponseBytes. Errors are in the [Result].
func (r *Request) Do(ctx context.Context) Result {
	resp, cancel, err := r.answer(ctx)
	if err != nil {
		return Result{err: err}
	}
	defer cancel()
	defer discard(resp)
	result := r.result(ctx, resp)
	r.wrote(ctx, &result)
	return result
}

// DoRaw sends the request and returns the body of the response, up to Config.MaxResponseBytes. If the response is an
// error, both are returned, and the body may be truncated.
func (r *Request) DoRaw(ctx context.Context) ([]byte, error) {
	resp, cancel, err := r.answer(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	defer discard(resp)
	body, err := r.readBody(resp)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.what(), err)
	}
	if isFailure(resp.StatusCode) {
		return body, r.responseError(resp, body)
	}
	return body, nil
}

// answer sends a request that is not a watch. The returned function ends its timeout.
func (r *Request) answer(ctx context.Context) (*http.Response, context.CancelFunc, error) {
	if err := r.preflight(); err != nil {
		return nil, nil, err
	}
	began := r.c.began()
	if err := r.throttle(ctx); err != nil {
		return nil, nil, err
	}
	cancel := context.CancelFunc(func() {})
	if r.timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, r.timeout)
	}
	resp, err := r.exchange(ctx, lostConnection)
	if err != nil {
		cancel()
		r.finished(began)
		return nil, nil, plain(err)
	}
	r.measure(resp, began)
	return resp, cancel, nil
}

// Stream sends the request and returns the body of the response, which the caller must close. It uses another
// connection than short requests.
func (r *Request) Stream(ctx context.Context) (io.ReadCloser, error) {
	if err := r.preflight(); err != nil {
		return nil, err
	}
	began := r.c.began()
	if err := r.throttle(ctx); err != nil {
		return nil, err
	}
	resp, err := r.exchange(transport.WithLongRunning(ctx), neverRetry)
	r.finished(began)
	if err != nil {
		return nil, plain(err)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, r.refused(ctx, resp)
	}
	r.warn(ctx, resp)
	return resp.Body, nil
}

// refused returns the error for an unexpected response, and closes it.
func (r *Request) refused(ctx context.Context, resp *http.Response) error {
	defer discard(resp)
	resp.Body = limitBody(resp.Body)
	if err := r.result(ctx, resp).Error(); err != nil {
		return err
	}
	return fmt.Errorf("%s: unexpected status %s, want a stream", r.what(), resp.Status)
}

// limitBody limits the body of an error, to bound memory.
func limitBody(body io.ReadCloser) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(body, maxErrorBytes), body}
}

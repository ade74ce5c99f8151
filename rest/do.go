package rest

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"vedette.dev/transport"
)

// ResponseWrapper is a request seen from where its answer is only copied on, such as that for the log of a pod.
type ResponseWrapper interface {
	DoRaw(context.Context) ([]byte, error)
	Stream(context.Context) (io.ReadCloser, error)
}

// Do sends the request and reads the whole answer, up to Config.MaxResponseBytes. Errors are in the Result.
func (r *Request) Do(ctx context.Context) Result {
	resp, cancel, err := r.answer(ctx)
	if err != nil {
		return Result{err: err}
	}
	defer cancel()
	defer discard(resp)
	return r.result(ctx, resp)
}

// DoRaw sends the request and returns the body of the answer, up to Config.MaxResponseBytes. If the answer is an error, both are
// returned, the body at most in part.
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

// answer does the exchange of a request that is not a watch. The returned function ends its time limit.
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
		return nil, nil, err
	}
	r.measure(resp, began)
	return resp, cancel, nil
}

// Stream sends the request and returns the body of the answer as it comes, for the caller to close. It travels on
// another connection than short requests do.
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
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, r.refused(ctx, resp)
	}
	r.warn(ctx, resp)
	return resp.Body, nil
}

// refused is the error in an answer that is not what was asked for. It closes the answer.
func (r *Request) refused(ctx context.Context, resp *http.Response) error {
	defer discard(resp)
	resp.Body = limitBody(resp.Body)
	if err := r.result(ctx, resp).Error(); err != nil {
		return err
	}
	return fmt.Errorf("%s: the server answered %s where a stream was expected", r.what(), resp.Status)
}

// limitBody cuts the body of an error, so that it does not fill the memory.
func limitBody(body io.ReadCloser) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(body, maxErrorBytes), body}
}

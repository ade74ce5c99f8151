package fence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Transport returns a RoundTripper that rejects requests whose context carries a term that is over. Clients of package
// rest have it next to the connection.
func Transport(next http.RoundTripper) http.RoundTripper { return &roundTripper{next: next} }

// Wrap returns a RoundTripper that does what [Transport] does, and rejects writes without a term in their context unless
// the gate is open. It is for rest.Config.Wrap. Call it first: layers that are added later may wait, and the check must
// come after them.
func (g *Gate) Wrap(next http.RoundTripper) http.RoundTripper {
	return &roundTripper{next: next, gate: g}
}

type roundTripper struct {
	next http.RoundTripper
	gate *Gate // may be nil
}

// RoundTrip implements http.RoundTripper.
func (r *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	t, err := r.termFor(req)
	if err == nil && t != nil {
		err = t.Err()
	}
	switch {
	case err != nil:
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, refusal(req, err)
	case t == nil || !writes(req):
		return r.next.RoundTrip(req)
	}
	return t.send(r.next, req)
}

// termFor returns the term that a request needs, nil if it needs none.
func (r *roundTripper) termFor(req *http.Request) (*Term, error) {
	ctx := req.Context()
	if isExempt(ctx) {
		return nil, nil
	}
	if t := From(ctx); t != nil {
		return t, nil
	}
	if r.gate == nil || !writes(req) {
		return nil, nil
	}
	if t := r.gate.term.Load(); t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("%w: the client has a fence.Gate that no election and no group has opened; "+
		"use a client without it for requests that every replica makes", ErrNoTerm)
}

func refusal(req *http.Request, err error) error {
	err = fmt.Errorf("fence: %s %s not sent: %w", req.Method, req.URL.Path, err)
	if errors.Is(err, ErrTermOver) {
		err = fmt.Errorf("%w; return without a retry, another replica may do the work now", err)
	}
	return err
}

// writes reports whether a request may change something.
func writes(req *http.Request) bool {
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions:
		return false
	}
	return true
}

// send sends a write. It is cancelled if the term ends before the response has arrived: it may still wait for a
// connection.
func (t *Term) send(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	stop := t.AfterEnd(func() { cancel(t.Err()) })
	resp, err := next.RoundTrip(t.guard(req.WithContext(ctx)))
	stop()
	if err != nil {
		cancel(err)
		if over := context.Cause(t.over); over != nil && !errors.Is(err, ErrTermOver) {
			err = fmt.Errorf("%w: %w", over, err) // it may or may not have been sent
		}
		return nil, err
	}
	if _, ok := resp.Body.(io.Writer); !ok { // an upgraded connection keeps its own body, and ends with the request's context
		resp.Body = &responseBody{ReadCloser: resp.Body, done: cancel}
	}
	return resp, nil
}

// guard makes the transport check the term again while it writes the body, after it has waited for a connection, and
// each time that it retries on another connection.
func (t *Term) guard(req *http.Request) *http.Request {
	if req.Body == nil || req.Body == http.NoBody {
		return req
	}
	req.Body = &requestBody{ReadCloser: req.Body, term: t, req: req}
	if again := req.GetBody; again != nil {
		req.GetBody = func() (io.ReadCloser, error) {
			body, err := again()
			if err != nil {
				return nil, err
			}
			return &requestBody{ReadCloser: body, term: t, req: req}, nil
		}
	}
	return req
}

// requestBody cannot be read after the term: a request without the rest of its body is not carried out.
type requestBody struct {
	io.ReadCloser
	term *Term
	req  *http.Request
}

func (b *requestBody) Read(p []byte) (int, error) {
	if err := b.term.Err(); err != nil {
		return 0, refusal(b.req, err)
	}
	return b.ReadCloser.Read(p)
}

// responseBody releases the context of the request when it is closed.
type responseBody struct {
	io.ReadCloser
	done context.CancelCauseFunc
}

func (b *responseBody) Close() error {
	defer b.done(nil)
	return b.ReadCloser.Close()
}

// WrappedRoundTripper returns the wrapped RoundTripper. k8s.io/apimachinery/pkg/util/net uses it to find dialers and
// TLS configurations.
func (r *roundTripper) WrappedRoundTripper() http.RoundTripper { return r.next }

// CloseIdleConnections is called by http.Client.
func (r *roundTripper) CloseIdleConnections() {
	switch next := r.next.(type) {
	case interface{ CloseIdleConnections() }:
		next.CloseIdleConnections()
	case interface{ WrappedRoundTripper() http.RoundTripper }:
		(&roundTripper{next: next.WrappedRoundTripper()}).CloseIdleConnections()
	}
}

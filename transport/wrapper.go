package transport

import (
	"context"
	"net/http"
)

// WrapperFunc wraps a RoundTripper.
type WrapperFunc func(rt http.RoundTripper) http.RoundTripper

// Wrappers returns a [WrapperFunc] that applies fns in order, so that the last one is the outermost. Nil functions are
// skipped.
func Wrappers(fns ...WrapperFunc) WrapperFunc {
	var real []WrapperFunc
	for _, fn := range fns {
		if fn != nil {
			real = append(real, fn)
		}
	}
	switch len(real) {
	case 0:
		return nil
	case 1:
		return real[0]
	}
	return func(rt http.RoundTripper) http.RoundTripper {
		for _, fn := range real {
			rt = fn(rt)
		}
		return rt
	}
}

// ContextCanceller returns a wrapper that fails new requests with err once ctx has ended.
func ContextCanceller(ctx context.Context, err error) WrapperFunc {
	return func(rt http.RoundTripper) http.RoundTripper {
		return &contextCanceller{layer: layer{rt}, ctx: ctx, err: err}
	}
}

type contextCanceller struct {
	layer
	ctx context.Context
	err error
}

func (c *contextCanceller) RoundTrip(req *http.Request) (*http.Response, error) {
	if c.ctx.Err() != nil {
		closeBody(req)
		return nil, c.err
	}
	return c.next.RoundTrip(req)
}

// layer is the common part of all round trippers of this package: the wrapped one.
type layer struct{ next http.RoundTripper }

// WrappedRoundTripper returns the wrapped RoundTripper. k8s.io/apimachinery/pkg/util/net uses it to find dialers and
// TLS configurations.
func (l layer) WrappedRoundTripper() http.RoundTripper { return l.next }

// CloseIdleConnections is called by http.Client; without it, idle connections below a wrapper could not be closed.
func (l layer) CloseIdleConnections() { closeIdleConnections(l.next) }

func closeIdleConnections(rt http.RoundTripper) {
	switch rt := rt.(type) {
	case interface{ CloseIdleConnections() }:
		rt.CloseIdleConnections()
	case interface{ WrappedRoundTripper() http.RoundTripper }:
		closeIdleConnections(rt.WrappedRoundTripper())
	}
}

// clone returns a copy of req whose headers may be changed: a RoundTripper must not modify its argument.
func clone(req *http.Request) *http.Request {
	r := req.WithContext(req.Context())
	r.Header = req.Header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	return r
}

// closeBody closes the body of a request that is not sent, as a RoundTripper must.
func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}

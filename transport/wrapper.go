package transport

import (
	"context"
	"net/http"
)

// WrapperFunc puts a RoundTripper around another.
type WrapperFunc func(rt http.RoundTripper) http.RoundTripper

// Wrappers returns one WrapperFunc that applies fns in their order, so that the last one is the outermost. Those that
// are nil are skipped.
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

// ContextCanceller returns a wrapper that refuses new requests with err once ctx is over.
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

// layer is the part that all round trippers of this package share: the way to the one they wrap.
type layer struct{ next http.RoundTripper }

// WrappedRoundTripper returns the round tripper inside. k8s.io/apimachinery/pkg/util/net finds dialers and TLS
// configurations through it.
func (l layer) WrappedRoundTripper() http.RoundTripper { return l.next }

// CloseIdleConnections is what http.Client calls; without it an idle connection below a wrapper cannot be closed.
func (l layer) CloseIdleConnections() { closeIdleConnections(l.next) }

func closeIdleConnections(rt http.RoundTripper) {
	switch rt := rt.(type) {
	case interface{ CloseIdleConnections() }:
		rt.CloseIdleConnections()
	case interface{ WrappedRoundTripper() http.RoundTripper }:
		closeIdleConnections(rt.WrappedRoundTripper())
	}
}

// clone returns a copy of req whose headers may be changed: a RoundTripper must leave its argument alone.
func clone(req *http.Request) *http.Request {
	r := req.WithContext(req.Context())
	r.Header = req.Header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	return r
}

// closeBody does what is left to do for a request that is not sent: a RoundTripper closes the body whatever happens.
func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}

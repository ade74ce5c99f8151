package transport

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"weak"
)

// base is the innermost RoundTripper of New, which clients with equal configs share. It sends a request through the
// current generation, and starts a new one when certificates have changed.
//
// Nothing that lives as long as a connection may reference a base: the cache learns that no client is left when the
// base is garbage collected.
type base struct {
	source source
	start  time.Time

	// checked is when the files were last checked, as the time since start.
	checked atomic.Int64
	// generation is never nil.
	generation atomic.Pointer[generation]
	// stale is the error of the last attempt to read the files, nil if it succeeded.
	stale atomic.Pointer[error]

	// renewing guards the change from one generation to the next, and farewell.
	renewing sync.Mutex
	farewell runtime.Cleanup
}

func newBase(s source) (*base, error) {
	p, err := s.tls.load()
	if err != nil {
		return nil, err
	}
	b := &base{source: s, start: time.Now()}
	b.begin(p, s.tls.getCert.generation())
	return b, nil
}

func (b *base) RoundTrip(req *http.Request) (*http.Response, error) {
	g := b.current()
	t := g.short
	if isLongRunning(req.Context()) {
		t = g.long
	}
	resp, err := t.RoundTrip(req)
	if err != nil {
		err = b.explain(err)
	}
	return resp, err
}

// explain adds to a failed handshake that the client's certificates may be out of date. Other errors are not wrapped,
// because callers compare them.
func (b *base) explain(err error) error {
	stale := b.stale.Load()
	if stale == nil {
		return err
	}
	var verification *tls.CertificateVerificationError
	var alert tls.AlertError
	if !errors.As(err, &verification) && !errors.As(err, &alert) {
		return err
	}
	return fmt.Errorf("%w (using old certificates, because reloading them failed: %v)", err, *stale)
}

// CloseIdleConnections closes the idle connections of all clients that share this base.
func (b *base) CloseIdleConnections() { b.generation.Load().closeIdle() }

// WrappedRoundTripper returns the current transport for short requests, for callers that look for its dialer.
func (b *base) WrappedRoundTripper() http.RoundTripper { return b.generation.Load().short }

// TLSClientConfig returns the current TLS configuration.
func (b *base) TLSClientConfig() *tls.Config { return b.generation.Load().short.TLSClientConfig }

// current returns the generation to use, after checking the files if that is due.
func (b *base) current() *generation {
	g := b.generation.Load()
	if g.rotations != b.source.tls.getCert.generation() || b.due() {
		b.renew()
		g = b.generation.Load()
	}
	return g
}

// due returns true for one caller every fileCheckPeriod. The others need not wait for it.
func (b *base) due() bool {
	if !b.source.tls.hasFiles() {
		return false
	}
	last, now := b.checked.Load(), int64(time.Since(b.start))
	return now-last >= int64(fileCheckPeriod) && b.checked.CompareAndSwap(last, now)
}

// renew starts a new generation if anything changed. Files that are unreadable or invalid change nothing.
func (b *base) renew() {
	b.renewing.Lock()
	defer b.renewing.Unlock()
	rotations := b.source.tls.getCert.generation()
	p, err := b.source.tls.load()
	if err != nil {
		b.stale.Store(&err)
		p = nil
	} else {
		b.stale.Store(nil)
	}
	old := b.generation.Load()
	if p == nil {
		p = old.proof
	}
	if p.sum == old.proof.sum && rotations == old.rotations {
		return
	}
	b.farewell.Stop()
	b.begin(p, rotations)
	old.retire()
}

// begin creates a generation, and arranges for its idle connections to be closed when b is garbage collected.
//
// With a custom dial function they are not: they end by idleConnTimeout. Such connections may be in memory and in a
// testing/synctest bubble, and the cleanup, which runs outside, would use the bubble's channels and so end the program.
func (b *base) begin(p *proof, rotations uint64) {
	g := newGeneration(&b.source, p, rotations)
	b.generation.Store(g)
	if b.source.dial != nil {
		return
	}
	// Weak pointers, because what a cleanup references must not lead back to b, and a GetCertHolder may lead anywhere.
	// A transport with connections is referenced by their goroutines, and one without need not be closed.
	b.farewell = runtime.AddCleanup(b, closeForgotten, [2]weak.Pointer[http.Transport]{weak.Make(g.short), weak.Make(g.long)})
}

func closeForgotten(transports [2]weak.Pointer[http.Transport]) {
	for _, t := range transports {
		if t := t.Value(); t != nil {
			t.CloseIdleConnections()
		}
	}
}

// generation returns the number of certificate rotations so far. It is constant without a holder.
func (h *GetCertHolder) generation() uint64 {
	if h == nil {
		return 0
	}
	return h.rotations.Load()
}

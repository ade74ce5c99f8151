package apitest

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// recorder buffers a response.
type recorder struct {
	header http.Header
	code   int
	body   []byte
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(code int) { r.code = code }

func (r *recorder) Write(p []byte) (int, error) {
	r.body = append(r.body, p...)
	return len(p), nil
}

// send sends a body in place of the recorded one, with another content length if some of it should be missing.
func (r *recorder) send(w http.ResponseWriter, body []byte, length int) {
	w.Header().Set("Content-Length", strconv.Itoa(length))
	if r.code != 0 {
		w.WriteHeader(r.code)
	}
	_, _ = w.Write(body) // the client may have disconnected
}

// limit calls a function after some bytes.
type limit struct {
	http.ResponseWriter
	faults *faults
	left   int
	then   func()
}

func newLimit(x *exchange, bytes int, then func()) *limit {
	return &limit{ResponseWriter: x.w, faults: x.faults, left: bytes, then: then}
}

func (l *limit) Unwrap() http.ResponseWriter { return l.ResponseWriter }

func (l *limit) Write(p []byte) (int, error) {
	if l.then == nil {
		return len(p), nil // discarded
	}
	if len(p) < l.left {
		l.left -= len(p)
		return l.ResponseWriter.Write(p)
	}
	_, _ = l.ResponseWriter.Write(p[:l.left])
	_ = http.NewResponseController(l.ResponseWriter).Flush()
	l.faults.settle()
	l.then()
	l.then = nil
	return len(p), nil
}

// trickle sends small pieces.
type trickle struct {
	http.ResponseWriter
	faults *faults
	ctx    context.Context // of the request
	piece  int
	delay  time.Duration
}

const defaultPiece = 64

func newTrickle(x *exchange, f *Fault) *trickle {
	t := &trickle{ResponseWriter: x.w, faults: x.faults, ctx: x.r.Context(), piece: f.Bytes, delay: f.Delay}
	if t.piece == 0 {
		t.piece = defaultPiece
	}
	return t
}

func (t *trickle) Unwrap() http.ResponseWriter { return t.ResponseWriter }

func (t *trickle) Write(p []byte) (written int, err error) {
	control := http.NewResponseController(t.ResponseWriter)
	for len(p) > 0 {
		if !t.faults.sleep(t.ctx, t.delay) {
			return written, errEnded
		}
		n, err := t.ResponseWriter.Write(p[:min(t.piece, len(p))])
		written += n
		if err != nil {
			return written, err
		}
		_ = control.Flush()
		p = p[n:]
	}
	return written, nil
}

package apitest

import (
	"context"
	"net/http"

	"vedette.dev/apitest/internal/corrupt"
	"vedette.dev/apitest/internal/serve"
	"vedette.dev/internal/mutex"
)

// exchange is a request that faults apply to.
type exchange struct {
	faults *faults
	r      *serve.Request
	w      http.ResponseWriter // where the response is written to: the connection, or a wrapper
	conn   *conn
	run    *watchRun // of a watch
	// rec buffers the response if it should be corrupted or halved, for which all of it is needed.
	rec     *recorder
	corrupt []*Fault
	halved  bool
}

// hit applies everything that happens before the response. It returns false if the request is answered.
func (x *exchange) hit(active []*Injection) bool {
	watch := x.run != nil
	for _, i := range active {
		f := &i.fault
		sort := f.Effect.sortFor(watch)
		if sort == onFrame || !f.request(x.r) || f.Effect == AnswerNoInitialEvents && serve.NoInitialEvents(x.r) == nil || !i.strike() {
			continue
		}
		if sort == onWatch {
			x.run.end(f)
			continue
		}
		if answer(x, f) {
			return false
		}
		if !x.disturb(f) {
			return false
		}
	}
	return true
}

// disturb prepares a connection effect.
func (x *exchange) disturb(f *Fault) bool {
	switch f.Effect {
	case Slow:
		return x.faults.sleep(x.r.Context(), f.Delay)
	case Trickle:
		x.w = newTrickle(x, f)
	case Cut:
		if f.Bytes > 0 {
			x.w = newLimit(x, f.Bytes, x.conn.cut)
			break
		}
		x.rec, x.halved = &recorder{}, true
	case Silence:
		if f.Bytes > 0 {
			x.w = newLimit(x, f.Bytes, x.conn.silence)
			break
		}
		x.conn.silence()
	case Garbage:
		// A compressed body cannot be corrupted in one place.
		r := x.r.Clone(x.r.Context())
		r.Header.Del("Accept-Encoding")
		x.r.Request = r
		x.rec, x.corrupt = &recorder{}, append(x.corrupt, f)
	}
	return true
}

// handle answers the request, and applies effects that need the whole response.
func (x *exchange) handle() {
	if x.rec == nil {
		x.faults.api.Handle(x.w, x.r)
		return
	}
	x.rec.header = x.w.Header()
	x.faults.api.Handle(x.rec, x.r)
	body := x.rec.body
	for _, f := range x.corrupt {
		body, _ = corrupt.Body(body, f.Match.object)
	}
	if !x.halved {
		x.rec.send(x.w, body, len(body))
		return
	}
	x.rec.send(x.w, body[:len(body)/2], len(body))
	_ = http.NewResponseController(x.w).Flush()
	x.faults.settle()
	x.conn.cut()
}

// watch runs a watch. From begin on, newly injected faults apply to it.
func (x *exchange) watch() {
	run := x.faults.begin(x)
	defer run.close()
	if x.hit(run.first) {
		x.handle()
	}
}

// runKey is the context key of a request's watchRun.
type runKey struct{}

// begin registers a watch.
func (f *faults) begin(x *exchange) *watchRun {
	ctx, cancel := context.WithCancelCause(x.r.Context())
	run := &watchRun{faults: f, r: x.r, conn: x.conn, cancel: cancel, writing: mutex.New()}
	x.run = run
	x.r.Request = x.r.WithContext(context.WithValue(ctx, runKey{}, run))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.number++
	run.number = f.number
	run.first = *f.active.Load()
	f.watches[run] = struct{}{}
	return run
}

// frames is called when a watch has begun, and wraps its writer in the watchRun.
func (f *faults) frames(r *serve.Request, out serve.FrameWriter) serve.FrameWriter {
	run, ok := r.Context().Value(runKey{}).(*watchRun)
	if !ok {
		return out
	}
	run.started(out)
	return run
}

package apitest

import (
	"context"
	"net/http"

	"vedette.dev/apitest/internal/serve"
	"vedette.dev/apitest/internal/spoil"
	"vedette.dev/internal/turn"
)

// exchange is a request that things happen to.
type exchange struct {
	faults *faults
	r      *serve.Request
	w      http.ResponseWriter // what it is answered to: that of the connection, or something before it
	conn   *conn
	run    *watchRun // of a watch
	// rec holds the answer back if it is to be spoiled, or halved, which takes knowing all of it.
	rec    *recorder
	spoil  []*Fault
	halved bool
}

// hit lets everything happen that comes before the answer. It returns false if there is nothing left to answer.
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

// disturb prepares trouble with the connection.
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
		// What is compressed cannot be spoiled in one place.
		r := x.r.Clone(x.r.Context())
		r.Header.Del("Accept-Encoding")
		x.r.Request = r
		x.rec, x.spoil = &recorder{}, append(x.spoil, f)
	}
	return true
}

// handle has the request answered, and lets happen what takes a whole answer.
func (x *exchange) handle() {
	if x.rec == nil {
		x.faults.api.Handle(x.w, x.r)
		return
	}
	x.rec.header = x.w.Header()
	x.faults.api.Handle(x.rec, x.r)
	body := x.rec.body
	for _, f := range x.spoil {
		body, _ = spoil.Body(body, f.Match.object)
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

// watch does a watch. From begin on, faults that are injected happen to it.
func (x *exchange) watch() {
	run := x.faults.begin(x)
	defer run.close()
	if x.hit(run.first) {
		x.handle()
	}
}

// runKey is where the context of a request has its watchRun.
type runKey struct{}

// begin takes a watch into the books.
func (f *faults) begin(x *exchange) *watchRun {
	ctx, cancel := context.WithCancelCause(x.r.Context())
	run := &watchRun{faults: f, r: x.r, conn: x.conn, cancel: cancel, writing: turn.New()}
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

// frames is called when a watch has begun, and puts its watchRun before the client.
func (f *faults) frames(r *serve.Request, out serve.FrameWriter) serve.FrameWriter {
	run, ok := r.Context().Value(runKey{}).(*watchRun)
	if !ok {
		return out
	}
	run.started(out)
	return run
}

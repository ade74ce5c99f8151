package apitest

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest/internal/corrupt"
	"vedette.dev/apitest/internal/serve"
	"vedette.dev/internal/mutex"
)

// watchRun is a watch from its request to its end. It is between the server, which writes frames, and the client.
type watchRun struct {
	faults *faults
	r      *serve.Request
	conn   *conn
	cancel context.CancelCauseFunc
	number int          // sequence number
	first  []*Injection // faults that were active when it began

	// mu is never held during a write, which may block for as long as the client likes.
	mu       sync.Mutex
	began    bool  // the header was sent
	silenced bool  // silence it when the header was sent
	mute     bool  // frames are discarded
	ended    error // why nothing more is sent
	ending   *time.Timer

	writing mutex.Mutex // taken before mu; Cut sleeps while it holds it, which in a bubble does not work with a sync.Mutex
	out     serve.FrameWriter
	late    *late // delayed frames, nil before the first
	told    bool  // an error was sent to the client
}

// end ends the watch now, as the fault says.
func (x *watchRun) end(f *Fault) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case f.Effect == Silence && !x.began:
		x.silenced = true
	case f.Effect == Silence:
		x.conn.silence()
	case f.Effect == AnswerConversionFailed && x.began:
		x.overLocked(errEnded)
	case f.Effect == AnswerConversionFailed && x.r.URL.Query().Get("resourceVersion") != "":
		x.mute = true
	case f.Delay > 0 && x.ending == nil:
		x.ending = time.AfterFunc(f.Delay, func() { x.over(errEnded) })
	case f.Delay > 0:
	default:
		x.overLocked(endOf(x.faults.api, x.r, f))
	}
}

func (x *watchRun) over(why error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.overLocked(why)
}

// overLocked wakes the server, which sends why if that is a Status.
func (x *watchRun) overLocked(why error) {
	if x.ended == nil {
		x.ended = why
		x.cancel(why)
	}
}

// state reports whether frames are discarded, and why the watch has ended.
func (x *watchRun) state() (mute bool, ended error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.mute, x.ended
}

// started is called when the header was sent.
func (x *watchRun) started(out serve.FrameWriter) {
	x.out = out // nothing else is written before this returns
	x.mu.Lock()
	x.began = true
	silenced := x.silenced
	x.mu.Unlock()
	if silenced {
		x.faults.settle()
		x.conn.silence()
	}
}

// WriteFrame implements serve.FrameWriter.
func (x *watchRun) WriteFrame(frame serve.Frame) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	if frame.Type == watch.Error {
		return x.writeError(frame)
	}
	if mute, why := x.state(); mute || why != nil {
		return why
	}
	h := x.hit(&frame)
	switch {
	case h.dropped:
		return nil
	case h.cut > 0:
		x.cut(frame, h.cut)
		return errEnded
	}
	for range 1 + h.copies {
		if err := x.write(frame, h.lag); err != nil {
			return err
		}
	}
	return nil
}

// hits is what happens to a frame.
type hits struct {
	dropped bool
	copies  int
	cut     int // after this many bytes
	lag     time.Duration
}

// hit determines what happens to a frame, and corrupts it if necessary.
func (x *watchRun) hit(frame *serve.Frame) (h hits) {
	for _, i := range *x.faults.active.Load() {
		f := &i.fault
		if f.Effect.sortFor(true) != onFrame || !f.applies(frame) || !f.request(x.r) || !i.strike() {
			continue
		}
		switch f.Effect {
		case NoBookmarks, NoEndBookmark:
			h.dropped = true
			return h
		case Duplicate:
			h.copies++
		case Lag:
			h.lag += f.Delay
		case Garbage:
			frame.Data = corrupt.Frame(frame.Data)
		case Cut:
			h.cut = min(f.Bytes, len(frame.Data))
			if f.Bytes == 0 {
				h.cut = len(frame.Data) / 2
			}
		}
	}
	return h
}

// applies reports whether the effect applies to such a frame.
func (f *Fault) applies(frame *serve.Frame) bool {
	bookmark := frame.Type == watch.Bookmark
	switch f.Effect {
	case NoBookmarks:
		return bookmark
	case NoEndBookmark:
		return frame.EndMark
	case Lag, Cut:
		if bookmark {
			return f.Match.Name == ""
		}
	case Duplicate, Garbage:
		if bookmark {
			return false
		}
	}
	return f.Match.key(frame.Key)
}

// write sends a frame, now or after a delay. The order is kept.
func (x *watchRun) write(frame serve.Frame, lag time.Duration) error {
	if x.late == nil && lag > 0 {
		x.late = newLate(x)
	}
	if x.late != nil {
		return x.late.add(frame, lag)
	}
	return x.out.WriteFrame(frame)
}

// writeError sends the error that ends the watch, once, after all delayed frames.
func (x *watchRun) writeError(frame serve.Frame) error {
	if x.told {
		return errEnded
	}
	x.told = true
	if x.late != nil {
		x.late.sendAll()
	}
	return errors.Join(x.out.WriteFrame(frame), x.out.Flush())
}

// cut sends the beginning of a frame, and resets the connection.
func (x *watchRun) cut(frame serve.Frame, bytes int) {
	frame.Data = frame.Data[:bytes]
	_ = x.out.WriteFrame(frame)
	_ = x.out.Flush()
	x.faults.settle()
	x.conn.cut()
	x.over(errEnded)
}

// Flush implements serve.FrameWriter.
func (x *watchRun) Flush() error {
	x.writing.Lock()
	defer x.writing.Unlock()
	return x.out.Flush()
}

// close unregisters the watch, and waits for its goroutines.
func (x *watchRun) close() {
	x.faults.mu.Lock()
	delete(x.faults.watches, x)
	x.faults.mu.Unlock()
	x.over(errEnded)
	x.mu.Lock()
	if x.ending != nil {
		x.ending.Stop()
	}
	x.mu.Unlock()
	if x.late != nil { // set only by this goroutine
		x.late.wait()
	}
}

package rest

import (
	"context"
	"fmt"
	"io"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/transport"
)

// Frame is one event of a watch, with its object not yet decoded.
type Frame struct {
	Type   watch.EventType
	Object Raw
}

// Err is the error in a frame of type Error, as the server described it, and nil for the other types.
func (f *Frame) Err() error {
	if f.Type != watch.Error {
		return nil
	}
	var status metav1.Status
	if err := f.Object.Into(&status); err != nil {
		return fmt.Errorf("the server ended the watch with an error that cannot be read: %w", err)
	}
	return apierrors.FromObject(&status)
}

// Frames is a watch that hands out its frames as they come. It belongs to one goroutine; only Close may be called from
// another. It must be closed.
type Frames struct {
	what     string
	reader   frameReader
	encoding Encoding
	body     io.Closer

	current Frame
}

// Frames sends the request, which asks for a watch, and returns its frames undecoded. It travels on another connection
// than short requests do. A watch is a GET with the parameter watch=true.
func (r *Request) Frames(ctx context.Context) (*Frames, error) {
	resp, err := r.openWatch(ctx)
	if err != nil {
		return nil, err
	}
	return r.newFrames(ctx, resp)
}

// openWatch does the exchange of a watch. Watches are not throttled: an informer that could not watch would have to
// list, which costs the server much more.
func (r *Request) openWatch(ctx context.Context) (*http.Response, error) {
	if err := r.preflight(); err != nil {
		return nil, err
	}
	began := r.c.began()
	resp, err := r.exchange(transport.WithLongRunning(ctx), endedOrTimedOut)
	r.finished(began)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, r.refused(ctx, resp)
	}
	return resp, nil
}

func (r *Request) newFrames(ctx context.Context, resp *http.Response) (*Frames, error) {
	encoding, err := streamEncoding(r.what(), resp)
	if err != nil {
		return nil, err
	}
	r.warn(ctx, resp)
	return framesOf(r.what(), encoding, resp.Body, maxObjectSize), nil
}

// FramesOf returns the frames of a watch that another client has begun. The answer has the status 200; it belongs to the Frames,
// and is closed if there is an error.
func FramesOf(resp *http.Response) (*Frames, error) {
	what := whatOf(resp)
	encoding, err := streamEncoding(what, resp)
	if err != nil {
		return nil, err
	}
	return framesOf(what, encoding, resp.Body, maxObjectSize), nil
}

// framesOf reads frames of which none is longer than limit.
func framesOf(what string, encoding Encoding, body io.ReadCloser, limit int) *Frames {
	return &Frames{what: what, encoding: encoding, body: body, reader: encoding.format().frames(body, limit)}
}

// Next waits for the next frame, which is valid until the next call. The error is io.EOF when the server has ended the
// watch; io.ErrUnexpectedEOF, wrapped, when it was cut within a frame. After an error of any kind the watch is over.
func (f *Frames) Next() (*Frame, error) {
	data, err := f.reader.next()
	if err == io.EOF {
		return nil, io.EOF
	}
	if err != nil {
		return nil, fmt.Errorf("%s: watch: %w", f.what, err)
	}
	if err = f.reader.read(data, &f.current); err != nil {
		return nil, fmt.Errorf("%s: watch: a frame of %d bytes of %s: %w", f.what, len(data), f.encoding, err)
	}
	return &f.current, nil
}

// Close ends the watch. A Next that is waiting returns.
func (f *Frames) Close() error { return f.body.Close() }

// check finds frames that are well formed, and not what a watch sends.
func (f *Frame) check() error {
	switch f.Type {
	case watch.Added, watch.Modified, watch.Deleted, watch.Bookmark, watch.Error:
	default:
		const enough = 40
		return fmt.Errorf("unknown event type %.*q", enough, f.Type)
	}
	if !f.Object.Encoding.format().isObject(f.Object.wire) {
		return fmt.Errorf("a %s event without an object", f.Type)
	}
	return nil
}

// eventType saves the string of the usual types.
func eventType(name []byte) watch.EventType {
	switch string(name) {
	case string(watch.Added):
		return watch.Added
	case string(watch.Modified):
		return watch.Modified
	case string(watch.Deleted):
		return watch.Deleted
	case string(watch.Bookmark):
		return watch.Bookmark
	}
	return watch.EventType(name)
}

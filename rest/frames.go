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

// Err returns the error in a frame of type Error, and nil for other types.
func (f *Frame) Err() error {
	if f.Type != watch.Error {
		return nil
	}
	var status metav1.Status
	if err := f.Object.Into(&status); err != nil {
		return fmt.Errorf("cannot decode the error event of the watch: %w", err)
	}
	return apierrors.FromObject(&status)
}

// Frames is a watch as a stream of frames. It is not safe for concurrent use, except for Close. It must be closed.
type Frames struct {
	what     string
	reader   frameReader
	encoding Encoding
	body     io.Closer

	current Frame
}

// Frames sends a watch request and returns its frames without decoding them. It uses another connection than short
// requests. A watch is a GET with the parameter watch=true.
func (r *Request) Frames(ctx context.Context) (*Frames, error) {
	resp, err := r.openWatch(ctx)
	if err != nil {
		return nil, plain(err)
	}
	return r.newFrames(ctx, resp)
}

// openWatch sends a watch request. Watches are not throttled: an informer that could not watch would have to list,
// which costs the server much more.
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

// FramesOf returns the frames of a watch response of another client. The response has the status 200; the Frames own
// it, and it is closed if there is an error.
func FramesOf(resp *http.Response) (*Frames, error) {
	what := whatOf(resp)
	encoding, err := streamEncoding(what, resp)
	if err != nil {
		return nil, err
	}
	return framesOf(what, encoding, resp.Body, maxObjectSize), nil
}

// framesOf reads frames that are not longer than limit.
func framesOf(what string, encoding Encoding, body io.ReadCloser, limit int) *Frames {
	return &Frames{what: what, encoding: encoding, body: body, reader: encoding.format().frames(body, limit)}
}

// Next waits for the next frame, which is valid until the next call. The error is io.EOF when the server has ended the
// watch, and wraps io.ErrUnexpectedEOF when it was interrupted within a frame. After any error the watch is over.
func (f *Frames) Next() (*Frame, error) {
	data, err := f.reader.next()
	if err == io.EOF {
		return nil, io.EOF
	}
	if err != nil {
		return nil, fmt.Errorf("%s: watch: %w", f.what, err)
	}
	if err = f.reader.read(data, &f.current); err != nil {
		return nil, fmt.Errorf("%s: watch: invalid frame of %d bytes of %s: %w", f.what, len(data), f.encoding, err)
	}
	return &f.current, nil
}

// Close ends the watch. A blocked Next returns.
func (f *Frames) Close() error { return f.body.Close() }

// check detects frames that are well formed, but not valid events of a watch.
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

// eventType avoids allocating strings for the usual types.
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

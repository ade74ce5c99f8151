package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/internal/reaction"
)

// Watch sends a watch request, and returns its events with their objects decoded. An object that cannot be decoded ends
// the watch with an event of type Error. If the server could not be reached, or closed the connection before it
// responded, the watch is empty and ends at once: a watch that ends is nothing unusual, and callers start it again.
func (r *Request) Watch(ctx context.Context) (watch.Interface, error) {
	resp, err := r.openWatch(ctx)
	if err != nil {
		if given := reaction.Given(err); given != nil {
			return nil, given
		}
		if _, answered := statusOf(err); !answered && ctx.Err() == nil && endedOrTimedOut(nil, err) {
			return watch.NewEmptyWatch(), nil
		}
		return nil, err
	}
	_, params, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	frames, err := r.newFrames(ctx, resp)
	if err != nil {
		return nil, err
	}
	// A sequence of objects in CBOR has a media type of its own, and is decoded as each of them.
	mediaType := frames.encoding.format().mediaType()
	decoder, _, _, err := r.content.Negotiator.StreamDecoder(mediaType, params)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: watch: no decoder for %s: %w", r.what(), mediaType, err), frames.Close())
	}
	reporter := apierrors.NewClientErrorReporter(http.StatusInternalServerError, r.verb, "ClientWatchDecoding")
	return watch.NewStreamWatcher(&eventDecoder{frames: frames, decoder: decoder}, reporter), nil
}

// eventDecoder decodes the objects of frames.
type eventDecoder struct {
	frames  *Frames
	decoder runtime.Decoder
}

// Decode returns the next event. Connection errors are not wrapped: the stream watcher recognises those that are a
// normal end.
func (d *eventDecoder) Decode() (watch.EventType, runtime.Object, error) {
	frame, err := d.frames.Next()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "", nil, io.ErrUnexpectedEOF
	}
	if err != nil {
		return "", nil, err
	}
	obj, _, err := d.decoder.Decode(frame.Object.wire, nil, nil)
	if err != nil {
		return "", nil, fmt.Errorf("unable to decode watch event: %s: %w", frame.Object.describe(), err)
	}
	return frame.Type, obj, nil
}

// Close ends the watch.
func (d *eventDecoder) Close() { _ = d.frames.Close() }

package cache

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/rest"
)

// frameSource is a watch whose objects are not decoded.
type frameSource struct {
	r      *Reflector
	ctx    context.Context
	frames *rest.Frames
	detach func() bool
}

func newFrameSource(ctx context.Context, r *Reflector, frames *rest.Frames) *frameSource {
	// Not every http.RoundTripper ends a body when the context of its request ends.
	detach := context.AfterFunc(ctx, func() { _ = frames.Close() })
	return &frameSource{r: r, ctx: ctx, frames: frames, detach: detach}
}

func (s *frameSource) next(e *event) error {
	frame, err := s.frames.Next()
	if err != nil {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		return err
	}
	s.r.received(len(frame.Object.Bytes))
	if frame.Type == watch.Error {
		return frame.Err()
	}
	*e = event{what: frame.Type, raw: &frame.Object}
	m, err := frame.Object.Meta()
	if err != nil {
		e.wrong = &UndecodableError{Err: err}
		return nil
	}
	e.version, e.rev = m.ResourceVersion, revision{m.UID, m.ResourceVersion}
	e.key, _ = frame.Object.Key()
	if err := s.r.refuses(e.raw); err != nil {
		e.wrong = err
		return nil
	}
	if e.what == watch.Bookmark {
		annotations, err := frame.Object.Annotations()
		if err != nil {
			e.wrong = &UndecodableError{Err: err}
		}
		e.end = annotations[metav1.InitialEventsAnnotationKey] == "true"
	}
	return nil
}

func (s *frameSource) close() {
	s.detach()
	_ = s.frames.Close()
}

// load returns the object of an event.
func (r *Reflector) load(e *event) (any, error) {
	if e.raw == nil {
		return r.admitted(e.object)
	}
	return r.decode(e.key, e.raw)
}

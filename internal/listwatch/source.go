package listwatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/internal/object"
	"vedette.dev/rest"
)

// Event is a change as received by the reflector.
type Event struct {
	Type    watch.EventType
	Version string
	// Object is nil if Raw is not.
	Object any
	// Raw is a frame, valid until the next call of next. Key and Rev are those of the object in it.
	Raw *rest.Raw
	Key string
	Rev object.Revision

	// end means that a bookmark is the one after the initial events; wrong is the reason for which the event cannot be
	// used.
	end   bool
	wrong error
	from  *Reflector
}

// NewObject returns an empty object of the expected type, nil if that is unknown.
func (e *Event) NewObject() any {
	if e.from.newObject == nil {
		return nil
	}
	return e.from.newObject()
}

// source is an open watch.
type source interface {
	// next waits for an event. The error is io.EOF at the end, that of the server, or that of the connection.
	next(*Event) error
	close()
}

// openWatch starts a watch, of raw frames if the client supports them.
func (r *Reflector) openWatch(ctx context.Context, options metav1.ListOptions) (source, error) {
	if r.raw {
		frames, w, err := r.watchRaw(ctx, options)
		switch {
		case err == nil && frames != nil:
			return newFrameSource(ctx, r, frames), nil
		case err == nil:
			return newObjectSource(ctx, r, w)
		case !errors.Is(err, rest.ErrNoStream):
			return nil, err
		}
		r.raw = false
	}
	stop := func(w watch.Interface) {
		if w != nil {
			w.Stop()
		}
	}
	w, err := await(ctx, r.grace(), func() (watch.Interface, error) { return r.config.Source.Watch(ctx, options) }, stop)
	if err != nil {
		return nil, err
	}
	return newObjectSource(ctx, r, w)
}

func newObjectSource(ctx context.Context, r *Reflector, w watch.Interface) (source, error) {
	if w == nil {
		return nil, errors.New("watch function returned neither a watch nor an error")
	}
	return &objectSource{r: r, ctx: ctx, done: ctx.Done(), w: w, events: w.ResultChan()}, nil
}

// objectSource is a watch whose objects are decoded.
type objectSource struct {
	r      *Reflector
	ctx    context.Context
	done   <-chan struct{}
	w      watch.Interface
	events <-chan watch.Event
	n      uint
}

// next usually takes an available event without checking the context, because that is faster.
func (s *objectSource) next(e *Event) error {
	const often = 64
	if s.n++; s.n%often != 0 {
		select {
		case got, ok := <-s.events:
			return s.take(got, ok, e)
		default:
		}
	}
	s.r.noteEvents()
	select {
	case <-s.done:
		return context.Cause(s.ctx)
	default:
	}
	select {
	case got, ok := <-s.events:
		return s.take(got, ok, e)
	case <-s.done:
		return context.Cause(s.ctx)
	}
}

func (s *objectSource) take(got watch.Event, ok bool, e *Event) error {
	if !ok {
		return io.EOF
	}
	if got.Type == watch.Error {
		return apierrors.FromObject(got.Object)
	}
	*e = Event{Type: got.Type, Object: got.Object, from: s.r}
	m, err := s.r.expect(got.Object)
	if err != nil {
		e.wrong = fmt.Errorf("a %q event with %w", got.Type, err)
		return nil
	}
	e.Version = m.GetResourceVersion()
	if got.Type == watch.Bookmark {
		e.end = m.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true"
	}
	return nil
}

func (s *objectSource) close() { s.w.Stop() }

// listRaw returns the items of a list, or the decoded list if that is not possible.
func (r *Reflector) listRaw(ctx context.Context, options metav1.ListOptions) (*rest.Items, runtime.Object, error) {
	list := r.config.Source.ListRaw
	if list == nil {
		items, err := r.prepare(r.config.Source.ListRequest(options)).Items(ctx)
		return items, nil, err
	}
	type answer struct {
		items *rest.Items
		list  runtime.Object
	}
	late := func(a answer) {
		if a.items != nil {
			_ = a.items.Close()
		}
	}
	a, err := await(ctx, r.grace(), func() (a answer, err error) {
		a.items, a.list, err = list(ctx, options)
		return a, err
	}, late)
	return a.items, a.list, err
}

// watchRaw returns the frames of a watch, or the decoded watch if that is not possible.
func (r *Reflector) watchRaw(ctx context.Context, options metav1.ListOptions) (*rest.Frames, watch.Interface, error) {
	begin := r.config.Source.WatchRaw
	if begin == nil {
		frames, err := r.prepare(r.config.Source.WatchRequest(options)).Frames(ctx)
		return frames, nil, err
	}
	type answer struct {
		frames *rest.Frames
		watch  watch.Interface
	}
	late := func(a answer) {
		if a.frames != nil {
			_ = a.frames.Close()
		}
		if a.watch != nil {
			a.watch.Stop()
		}
	}
	a, err := await(ctx, r.grace(), func() (a answer, err error) {
		a.frames, a.watch, err = begin(ctx, options)
		return a, err
	}, late)
	return a.frames, a.watch, err
}

// prepare makes a request whose response can be decoded into newObject, and that is not retried by the client: the
// reflector backs off and retries itself, and reports it in its State.
func (r *Reflector) prepare(request *rest.Request) *rest.Request {
	if r.notProtobuf {
		request.WithoutProtobuf()
	}
	return request.MaxRetries(0)
}

// expect returns the metadata of a decoded object, if it is of the type and the kind that are expected.
func (r *Reflector) expect(obj any) (metav1.Object, error) {
	if r.expectedType != nil && reflect.TypeOf(obj) != r.expectedType {
		return nil, &UnexpectedError{fmt.Sprintf("a %T, not a %v", obj, r.expectedType)}
	}
	if u, ok := obj.(*unstructured.Unstructured); ok && u != nil {
		gvk := u.GroupVersionKind()
		if r.expectedGVK != nil && gvk != *r.expectedGVK {
			return nil, &UnexpectedError{fmt.Sprintf("an object of kind %v, not %v", gvk, *r.expectedGVK)}
		}
		if gvk.Kind == "Table" && gvk.Group == metav1.GroupName {
			return nil, &UnexpectedError{"a Table, not an object"}
		}
	}
	if obj == nil {
		return nil, &UnexpectedError{"no object"}
	}
	m, err := object.Meta(obj)
	if err != nil {
		return nil, &UnexpectedError{fmt.Sprintf("a %T without metadata: %v", obj, err)}
	}
	return m, nil
}

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

func (s *frameSource) next(e *Event) error {
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
	*e = Event{Type: frame.Type, Raw: &frame.Object, from: s.r}
	m, err := frame.Object.Meta()
	if err != nil {
		e.wrong = &UndecodableError{Err: err}
		return nil
	}
	e.Version, e.Rev = m.ResourceVersion, object.Revision{UID: m.UID, Version: m.ResourceVersion}
	e.Key, _ = frame.Object.Key()
	if err := s.r.refuses(e.Raw); err != nil {
		e.wrong = err
		return nil
	}
	if e.Type == watch.Bookmark {
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

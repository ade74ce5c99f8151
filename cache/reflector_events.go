package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/rest"
)

// event is a change, as the reflector sees it.
type event struct {
	what    watch.EventType
	version string
	// end says that a bookmark is the one after the initial events.
	end bool
	// object is nil if raw is not.
	object any
	// raw is a frame, valid until the next event is asked for.
	raw *rest.Raw
	// key and rev are those of the object in a frame.
	key string
	rev revision
	// wrong says why the event cannot be used.
	wrong error
}

// source is an open watch.
type source interface {
	// next waits for an event. The error is io.EOF at the end, that of the server, or that of the connection.
	next(*event) error
	close()
}

// openWatch begins a watch, of raw frames if the client hands them out.
func (r *Reflector) openWatch(ctx context.Context, options metav1.ListOptions) (source, error) {
	if r.raw != nil {
		frames, err := r.watchRequest(options).Frames(ctx)
		if err == nil {
			return newFrameSource(ctx, r, frames), nil
		}
		if !errors.Is(err, rest.ErrNoStream) {
			return nil, err
		}
		r.raw = nil
	}
	stop := func(w watch.Interface) {
		if w != nil {
			w.Stop()
		}
	}
	w, err := await(ctx, r.grace(), func() (watch.Interface, error) { return r.lw.WatchWithContext(ctx, options) }, stop)
	if err != nil {
		return nil, err
	}
	if w == nil {
		return nil, errors.New("the watch function returned neither a watch nor an error")
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

// next takes an event that is there without checking the context, most of the time, because that is faster.
func (s *objectSource) next(e *event) error {
	const often = 64
	if s.n++; s.n%often != 0 {
		select {
		case got, ok := <-s.events:
			return s.take(got, ok, e)
		default:
		}
	}
	s.r.heard()
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

func (s *objectSource) take(got watch.Event, ok bool, e *event) error {
	if !ok {
		return io.EOF
	}
	if got.Type == watch.Error {
		return apierrors.FromObject(got.Object)
	}
	*e = event{what: got.Type, object: got.Object}
	m, err := s.r.admit(got.Object)
	if err != nil {
		e.wrong = fmt.Errorf("a %q event with %w", got.Type, err)
		return nil
	}
	e.version = m.GetResourceVersion()
	if got.Type == watch.Bookmark {
		e.end = m.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true"
	}
	return nil
}

func (s *objectSource) close() { s.w.Stop() }

// admit returns the metadata of a decoded object, if it is of the type and the kind that are expected.
func (r *Reflector) admit(obj any) (metav1.Object, error) {
	if r.expectedType != nil && reflect.TypeOf(obj) != r.expectedType {
		return nil, &unexpectedError{fmt.Sprintf("a %T, not a %v", obj, r.expectedType)}
	}
	if u, ok := obj.(*unstructured.Unstructured); ok && u != nil {
		gvk := u.GroupVersionKind()
		if r.expectedGVK != nil && gvk != *r.expectedGVK {
			return nil, &unexpectedError{fmt.Sprintf("an object of kind %v, not %v", gvk, *r.expectedGVK)}
		}
		if gvk.Kind == "Table" && gvk.Group == metav1.GroupName {
			return nil, &unexpectedError{"a Table, not an object"}
		}
	}
	if obj == nil {
		return nil, &unexpectedError{"no object"}
	}
	m, err := metaOf(obj)
	if err != nil {
		return nil, &unexpectedError{fmt.Sprintf("a %T without metadata: %v", obj, err)}
	}
	return m, nil
}

package conformance

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

var configMapResource = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// stream is a watch that is read event by event.
type stream struct {
	e *env
	w watch.Interface
}

// told is an event in brief.
type told struct {
	kind    watch.EventType
	name    string
	version string
	object  metav1.Object
}

func (t told) String() string {
	if t.name == "" { // a bookmark
		return string(t.kind)
	}
	return string(t.kind) + " " + t.name
}

// watch watches the config maps of the behaviour's namespace.
func (e *env) watch(opts metav1.ListOptions) *stream {
	e.Helper()
	w, err := e.configMaps().Watch(e.ctx, opts)
	e.must(err)
	return e.stream(w)
}

func (e *env) stream(w watch.Interface) *stream {
	e.Cleanup(w.Stop)
	return &stream{e: e, w: w}
}

// event waits for the next event; ok is false if the server has ended the watch.
func (s *stream) event() (event watch.Event, ok bool) {
	s.e.Helper()
	select {
	case event, ok = <-s.w.ResultChan():
		return event, ok
	case <-s.e.ctx.Done():
		s.e.Fatal("no event came, and the watch did not end")
		return event, false
	}
}

// next waits for an event about an object.
func (s *stream) next() told {
	s.e.Helper()
	event, ok := s.event()
	if !ok {
		s.e.Fatal("the watch ended")
	}
	object, err := meta.Accessor(event.Object)
	if err != nil {
		s.e.Fatalf("%s %+v", event.Type, event.Object)
	}
	return told{event.Type, object.GetName(), object.GetResourceVersion(), object}
}

// expect reads as many events as there are words, which are like "ADDED a". A server may send bookmarks in between, as it likes.
func (s *stream) expect(words ...string) (events []told) {
	s.e.Helper()
	for _, want := range words {
		got := s.next()
		for got.kind == watch.Bookmark && got.object.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "" {
			got = s.next()
		}
		if got.String() != want {
			s.e.Fatalf("%s (version %s), want %s", got, got.version, want)
		}
		events = append(events, got)
	}
	return events
}

// rest reads until the watch ends.
func (s *stream) rest() (events []told) {
	s.e.Helper()
	for {
		event, ok := s.event()
		if !ok {
			return events
		}
		object, err := meta.Accessor(event.Object)
		if err != nil {
			s.e.Fatalf("%s %+v", event.Type, event.Object)
		}
		events = append(events, told{event.Type, object.GetName(), object.GetResourceVersion(), object})
	}
}

// failure reads the one error event that ends a watch.
func (s *stream) failure() *metav1.Status {
	s.e.Helper()
	event, _ := s.event()
	status, ok := event.Object.(*metav1.Status)
	if !ok || event.Type != watch.Error {
		s.e.Fatalf("%s %+v, want an error", event.Type, event.Object)
	}
	return status
}

func words(events []told) (words []string) {
	for _, event := range events {
		words = append(words, event.String())
	}
	return words
}

package pipeline

import (
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// source is a server in memory. It costs next to nothing: what it sends was made before, unless own is set.
type source struct {
	// streams says that a watch can begin with all objects. Otherwise there are lists.
	streams bool
	// own has each object that is listed get memory of its own, as if it was decoded.
	own bool

	mu      sync.Mutex
	objects []*thing
	version string
	asked   time.Time // when the last list or stream was asked for

	// watches has each watch that will send changes.
	watches chan chan<- watch.Event
}

// room is how many events a watch holds, so that a goroutine need not wake up for each.
const room = 256

func newSource(objects []*thing) *source {
	return &source{objects: objects, version: strconv.Itoa(len(objects)), watches: make(chan chan<- watch.Event, 8)}
}

// set changes what lists have.
func (s *source) set(objects []*thing, version uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects, s.version = objects, strconv.FormatUint(uint64(version), 10)
}

func (s *source) state() ([]*thing, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = time.Now()
	return s.objects, s.version
}

func (s *source) askedAt() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// IsWatchListSemanticsUnSupported has both sides list if it returns true.
func (s *source) IsWatchListSemanticsUnSupported() bool { return !s.streams }

func (s *source) List(metav1.ListOptions) (runtime.Object, error) {
	objects, version := s.state()
	list := &things{ListMeta: metav1.ListMeta{ResourceVersion: version}, Items: make([]*thing, len(objects))}
	for i, o := range objects {
		list.Items[i] = s.decoded(o)
	}
	return list, nil
}

func (s *source) decoded(t *thing) *thing {
	if s.own {
		return t.own()
	}
	return t
}

// Watch returns a watch. The receiver from watches sends its changes.
func (s *source) Watch(options metav1.ListOptions) (watch.Interface, error) {
	events := make(chan watch.Event, room)
	if options.SendInitialEvents != nil && *options.SendInitialEvents {
		go s.stream(events)
	} else {
		s.watches <- events
	}
	return channel(events), nil
}

// stream sends all objects.
func (s *source) stream(events chan<- watch.Event) {
	objects, version := s.state()
	for _, o := range objects {
		events <- watch.Event{Type: watch.Added, Object: s.decoded(o)}
	}
	end := &thing{ObjectMeta: &metav1.ObjectMeta{Annotations: endOfList}, version: version}
	events <- watch.Event{Type: watch.Bookmark, Object: end}
	s.watches <- events
}

// channel is a watch.
type channel <-chan watch.Event

func (c channel) ResultChan() <-chan watch.Event { return (<-chan watch.Event)(c) }
func (c channel) Stop()                          {}

// event returns the event of a state.
func (t *thing) event() watch.Event {
	if t.gone {
		return watch.Event{Type: watch.Deleted, Object: t}
	}
	return watch.Event{Type: watch.Modified, Object: t}
}

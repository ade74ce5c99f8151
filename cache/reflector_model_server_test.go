package cache

import (
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// modelServer has pods and their history, and can be made to fail.
type modelServer struct {
	mu        sync.Mutex
	version   int
	objects   map[string]int // the version of each
	history   []modelEvent   // since compacted
	compacted int
	watches   []*modelWatch
	hanging   []*modelWatch // streams that will not be told that they are complete
	fault     string
	paging    bool
	pages     map[string]*corev1.PodList // what is left of lists, by their continue token
}

type modelEvent struct {
	what    watch.EventType
	key     string
	version int
}

func newModelServer() *modelServer {
	return &modelServer{version: 1, objects: map[string]int{}, pages: map[string]*corev1.PodList{}}
}

// failure is the error of a request, if there is to be one.
func (s *modelServer) failure(streaming bool) error {
	switch s.fault {
	case "", "nobookmark", "breakoff":
		return nil
	case "refused":
		return errRefused
	case "400":
		if !streaming {
			return nil
		}
	}
	return &apierrors.StatusError{ErrStatus: *statusFor([]string{s.fault})}
}

func (s *modelServer) List(options metav1.ListOptions) (runtime.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.failure(false); err != nil {
		return nil, err
	}
	if options.Continue != "" {
		list, ok := s.pages[options.Continue]
		if !ok || s.compacted == s.version {
			return nil, &apierrors.StatusError{ErrStatus: *statusFor([]string{"410"})}
		}
		return list, nil
	}
	list := podList(strconv.Itoa(s.version), s.podsNow()...)
	if half := len(list.Items) / 2; s.paging && options.Limit > 0 && half > 0 {
		token := "token" + strconv.Itoa(len(s.pages))
		rest := *list
		rest.Items, list.Items, list.Continue = list.Items[half:], list.Items[:half], token
		s.pages[token] = &rest
	}
	return list, nil
}

func (s *modelServer) Watch(options metav1.ListOptions) (watch.Interface, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	streaming := options.SendInitialEvents != nil
	if err := s.failure(streaming); err != nil {
		return nil, err
	}
	from, _ := strconv.Atoi(options.ResourceVersion)
	if !streaming && from < s.compacted {
		return nil, &apierrors.StatusError{ErrStatus: *statusFor([]string{"410"})}
	}
	w := &modelWatch{events: make(chan watch.Event, 1000)}
	if streaming {
		s.stream(w)
	} else {
		for _, e := range s.history {
			if e.version > from {
				w.tell(e)
			}
		}
	}
	s.watches = append(s.watches, w)
	return w, nil
}

// stream sends what there is, and perhaps says so.
func (s *modelServer) stream(w *modelWatch) {
	for key, version := range s.objects {
		w.tell(modelEvent{watch.Added, key, version})
	}
	switch s.fault {
	case "nobookmark":
		s.hanging = append(s.hanging, w)
	case "breakoff":
		w.Stop()
	default:
		p := podAt("@" + strconv.Itoa(s.version))
		p.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
		w.send(watch.Event{Type: watch.Bookmark, Object: p})
	}
}

func (s *modelServer) tellAll(e modelEvent) {
	for _, w := range s.watches {
		w.tell(e)
	}
}

func (s *modelServer) endAll() {
	for _, w := range s.watches {
		w.Stop()
	}
	s.watches = nil
}

// abandon ends the streams that would not end by themselves: a server that is well has none.
func (s *modelServer) abandon() {
	for _, w := range s.hanging {
		w.Stop()
	}
	s.hanging = nil
}

// modelWatch is a watch that may be written to when it has ended.
type modelWatch struct {
	mu     sync.Mutex
	ended  bool
	events chan watch.Event
}

func (w *modelWatch) ResultChan() <-chan watch.Event { return w.events }

func (w *modelWatch) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended {
		w.ended = true
		close(w.events)
	}
}

func (w *modelWatch) send(e watch.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended {
		w.events <- e
	}
}

func (w *modelWatch) tell(e modelEvent) {
	w.send(watch.Event{Type: e.what, Object: podAt(e.key + "@" + strconv.Itoa(e.version))})
}

func (w *modelWatch) fail(status *metav1.Status) {
	w.send(watch.Event{Type: watch.Error, Object: status})
	w.Stop()
}

package reconcile

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// server is one in memory. It costs next to nothing: what it sends was made before.
type server struct {
	objects []*object
	// watches has each watch that was begun, for the sender of changes.
	watches chan chan<- watch.Event
}

// room is how many events a watch holds, so that a goroutine need not wake up for each.
const room = 256

func newServer(objects []*object) *server {
	return &server{objects: objects, watches: make(chan chan<- watch.Event, 8)}
}

// IsWatchListSemanticsUnSupported has all sides list.
func (s *server) IsWatchListSemanticsUnSupported() bool { return true }

func (s *server) List(metav1.ListOptions) (runtime.Object, error) {
	return &objectList{
		ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(len(s.objects))},
		Items:    s.objects,
	}, nil
}

func (s *server) Watch(metav1.ListOptions) (watch.Interface, error) {
	events := make(chan watch.Event, room)
	s.watches <- events
	return channel(events), nil
}

// channel is a watch.
type channel <-chan watch.Event

func (c channel) ResultChan() <-chan watch.Event { return (<-chan watch.Event)(c) }
func (c channel) Stop()                          {}

package tracker

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
)

// typedWatch converts the objects of a watch to their Go types. Unlike watch.Filter, it ends when it is stopped,
// whether or not the remaining events are read.
type typedWatch struct {
	from    watch.Interface
	tracker *Tracker
	events  chan watch.Event
	stopped chan struct{}
	stop    sync.Once
}

func newTypedWatch(from watch.Interface, t *Tracker) *typedWatch {
	w := &typedWatch{from: from, tracker: t, events: make(chan watch.Event), stopped: make(chan struct{})}
	go w.run()
	return w
}

// ResultChan implements watch.Interface.
func (w *typedWatch) ResultChan() <-chan watch.Event { return w.events }

// Stop implements watch.Interface.
func (w *typedWatch) Stop() {
	w.stop.Do(func() {
		close(w.stopped)
		w.from.Stop()
	})
}

func (w *typedWatch) run() {
	defer close(w.events)
	for {
		select {
		case e, ok := <-w.from.ResultChan():
			if !ok {
				return
			}
			if u, isObject := e.Object.(*unstructured.Unstructured); isObject {
				if typed, err := w.tracker.object(u); err == nil {
					e.Object = typed
				}
			}
			select {
			case w.events <- e:
			case <-w.stopped:
				return
			}
		case <-w.stopped:
			return
		}
	}
}

package watch

import (
	"context"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/cache"
)

// NewIndexerInformerWatcher starts an informer, and returns its store, the informer, a watch with its notifications, and a
// channel that is closed when the informer has ended. Stopping the watch ends it.
//
// The watch begins with an event for each object that there is. Events wait in the informer until they are read; if
// more than a few thousand wait, those of one object are coalesced. When the informer has ended, the channel of the watch
// is closed.
func NewIndexerInformerWatcher(lw cache.ListerWatcher, objType runtime.Object) (cache.Indexer, cache.Controller, watch.Interface, <-chan struct{}) {
	return NewIndexerInformerWatcherWithLogger(logr.Discard(), lw, objType)
}

// NewIndexerInformerWatcherWithLogger is NewIndexerInformerWatcher with a logger for the informer.
func NewIndexerInformerWatcherWithLogger(logger logr.Logger, lw cache.ListerWatcher, objType runtime.Object) (cache.Indexer, cache.Controller, watch.Interface, <-chan struct{}) {
	events := make(chan watch.Event)
	w := watch.NewProxyWatcher(events)
	send := func(t watch.EventType, obj any) {
		object, ok := obj.(runtime.Object)
		if !ok {
			return // the last state of an object that was deleted is not known
		}
		select {
		case events <- watch.Event{Type: t, Object: object}:
		case <-w.StopChan():
		}
	}
	// Unlike NewIndexerInformer, this one has synced before its handler has: callers may wait for that before they read
	// events, and the handler waits for them.
	informer := cache.NewSharedIndexInformer(lw, objType, 0, cache.Indexers{})
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { send(watch.Added, obj) },
		UpdateFunc: func(_, obj any) { send(watch.Modified, obj) },
		DeleteFunc: func(obj any) {
			if unknown, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = unknown.Obj
			}
			send(watch.Deleted, obj)
		},
	}); err != nil {
		panic(err) // it has not stopped
	}

	ctx, cancel := context.WithCancel(logr.NewContext(context.Background(), logger))
	done := make(chan struct{})
	go func() {
		<-w.StopChan()
		cancel()
	}()
	go func() {
		defer close(done)
		defer close(events)
		informer.RunWithContext(ctx)
	}()
	return informer.GetIndexer(), informer, w, done
}

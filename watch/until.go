package watch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/cache"
)

// PreconditionFunc looks at the objects that there are. If it returns true or an error, there is nothing to wait for.
type PreconditionFunc func(store cache.Store) (bool, error)

// ConditionFunc reports whether an event is the one that is waited for. An error ends the wait.
type ConditionFunc func(event watch.Event) (bool, error)

// ErrWatchClosed is returned if the watch ends before all conditions are met.
var ErrWatchClosed = errors.New("watch closed before UntilWithoutRetry timeout")

// UntilWithoutRetry reads events until each condition was met, one after the other, and returns the last event that it
// read, or nil if there was none. The event that met a condition is also given to the next. It stops the watch.
//
// The error is that of a condition, ErrWatchClosed, or if the context ends one for which wait.Interrupted is true.
func UntilWithoutRetry(ctx context.Context, watcher watch.Interface, conditions ...ConditionFunc) (*watch.Event, error) {
	defer watcher.Stop()
	var last *watch.Event
	for _, condition := range conditions {
		met := false
		var err error
		if last != nil {
			met, err = condition(*last)
		}
		for !met && err == nil {
			var event *watch.Event
			if event, err = next(ctx, watcher); err == nil {
				last = event
				met, err = condition(*last)
			}
		}
		if err != nil {
			return last, err
		}
	}
	return last, nil
}

func next(ctx context.Context, watcher watch.Interface) (*watch.Event, error) {
	select {
	case event, ok := <-watcher.ResultChan():
		if !ok {
			return nil, ErrWatchClosed
		}
		return &event, nil
	case <-ctx.Done():
		return nil, wait.ErrorInterrupted(nil)
	}
}

// Until watches from a resource version on, which must not be empty or "0", with a RetryWatcher, until the conditions are
// met: see UntilWithoutRetry. It gives the conditions every event, in order, and so cannot go on if the server no longer
// has the events after a version: then they get an event with a Status of code 410, and if they ignore it the result is
// ErrWatchClosed.
func Until(ctx context.Context, initialResourceVersion string, watcherClient cache.Watcher, conditions ...ConditionFunc) (*watch.Event, error) {
	w, err := NewRetryWatcherWithContext(ctx, initialResourceVersion, cache.ToWatcherWithContext(watcherClient))
	if err != nil {
		return nil, err
	}
	return UntilWithoutRetry(ctx, w, conditions...)
}

// UntilWithSync runs an informer until the conditions are met: see UntilWithoutRetry. The first events are for the objects
// that there are. If there is a precondition, it is called first, with these objects; if it returns true, the result is
// nil. States between two lists are not seen, the newest state always is. When UntilWithSync returns, the informer has
// ended.
func UntilWithSync(ctx context.Context, lw cache.ListerWatcher, objType runtime.Object, precondition PreconditionFunc, conditions ...ConditionFunc) (*watch.Event, error) {
	indexer, informer, watcher, done := NewIndexerInformerWatcherWithLogger(logr.FromContextOrDiscard(ctx), lw, objType)
	defer func() {
		watcher.Stop()
		<-done
	}()
	if precondition != nil {
		if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
			return nil, fmt.Errorf("UntilWithSync: the informer has not synced: %w", ctx.Err())
		}
		if met, err := precondition(indexer); met || err != nil {
			return nil, err
		}
	}
	return UntilWithoutRetry(ctx, watcher, conditions...)
}

// ContextWithOptionalTimeout is like context.WithTimeout, but a timeout of 0 or less means none.
func ContextWithOptionalTimeout(parent context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout < 0 {
		logr.FromContextOrDiscard(parent).Error(nil, "negative timeout, waiting without one", "timeout", timeout)
	}
	if timeout <= 0 {
		return context.WithCancel(parent)
	}
	return context.WithTimeout(parent, timeout)
}

package watch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/cache"
)

// RetryWatcher is a watch that begins again where it was interrupted, so that each event is seen once, in order. It ends
// when it is stopped, or after an event of type Error with a *metav1.Status:
//
//   - code 410: the watch says that the server no longer has the events after the last version. As in client-go, it tries
//     again if that is the response to the request, before the watch begins;
//   - code 401 or 403: the client may not watch;
//   - code 500, from the RetryWatcher itself: an event had no resource version, or an unknown type.
//
// It goes on after all other errors, at most once a second.
type RetryWatcher struct {
	client     cache.WatcherWithContext
	version    string // of the last event
	minRestart time.Duration
	cancel     context.CancelFunc
	events     chan watch.Event
	done       chan struct{}
}

// NewRetryWatcher is NewRetryWatcherWithContext without a context.
func NewRetryWatcher(initialResourceVersion string, watcherClient cache.Watcher) (*RetryWatcher, error) {
	return NewRetryWatcherWithContext(context.Background(), initialResourceVersion, cache.ToWatcherWithContext(watcherClient))
}

// NewRetryWatcherWithContext watches from a resource version on, until the context ends. The version must not be empty or
// "0": with these, each interruption would bring all objects again.
func NewRetryWatcherWithContext(ctx context.Context, initialResourceVersion string, watcherClient cache.WatcherWithContext) (*RetryWatcher, error) {
	return newRetryWatcher(ctx, initialResourceVersion, watcherClient, time.Second)
}

func newRetryWatcher(ctx context.Context, version string, client cache.WatcherWithContext, minRestart time.Duration) (*RetryWatcher, error) {
	if version == "" || version == "0" {
		return nil, fmt.Errorf("a RetryWatcher cannot begin at resource version %q: list first, and take the version of the list", version)
	}
	ctx, cancel := context.WithCancel(ctx)
	rw := &RetryWatcher{client: client, version: version, minRestart: minRestart, cancel: cancel,
		events: make(chan watch.Event), done: make(chan struct{})}
	go rw.run(ctx)
	return rw, nil
}

// ResultChan implements watch.Interface. The channel is closed when the RetryWatcher ends.
func (rw *RetryWatcher) ResultChan() <-chan watch.Event { return rw.events }

// Stop implements watch.Interface. It does not wait.
func (rw *RetryWatcher) Stop() { rw.cancel() }

// Done returns a channel that is closed when the RetryWatcher has ended.
func (rw *RetryWatcher) Done() <-chan struct{} { return rw.done }

func (rw *RetryWatcher) run(ctx context.Context) {
	defer close(rw.done)
	defer close(rw.events)
	defer rw.cancel()
	for {
		start := time.Now()
		goOn, after := rw.watch(ctx)
		if !goOn {
			return
		}
		timer := time.NewTimer(max(after, rw.minRestart-time.Since(start)))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// watch watches once. It reports whether to watch again, and how long the server wants to be left alone.
func (rw *RetryWatcher) watch(ctx context.Context) (goOn bool, after time.Duration) {
	w, err := rw.client.WatchWithContext(ctx, metav1.ListOptions{ResourceVersion: rw.version, AllowWatchBookmarks: true})
	if err == nil && w == nil {
		err = errors.New("the client returned no watch")
	}
	if err != nil {
		return rw.refused(ctx, err), 0
	}
	defer w.Stop()
	for {
		select {
		case event, ok := <-w.ResultChan():
			if !ok {
				return true, 0
			}
			if goOn, after, ended := rw.handle(ctx, event); ended {
				return goOn, after
			}
		case <-ctx.Done():
			return false, 0
		}
	}
}

// refused reports whether to watch again after the server has answered with an error.
func (rw *RetryWatcher) refused(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	logr.FromContextOrDiscard(ctx).V(1).Info("watch failed", "err", err, "resourceVersion", rw.version)
	if !apierrors.IsForbidden(err) && !apierrors.IsUnauthorized(err) {
		return true
	}
	var refusal apierrors.APIStatus
	if errors.As(err, &refusal) {
		status := refusal.Status()
		rw.send(ctx, watch.Event{Type: watch.Error, Object: &status})
	}
	return false
}

// handle sends an event, and reports whether it ends the watch.
func (rw *RetryWatcher) handle(ctx context.Context, event watch.Event) (goOn bool, after time.Duration, ended bool) {
	switch event.Type {
	case watch.Added, watch.Modified, watch.Deleted, watch.Bookmark:
		object, ok := event.Object.(interface{ GetResourceVersion() string })
		if !ok || object.GetResourceVersion() == "" {
			rw.fail(ctx, fmt.Errorf("the %T of a watch event has no resource version", event.Object))
			return false, 0, true
		}
		if event.Type != watch.Bookmark && !rw.send(ctx, event) {
			return false, 0, true
		}
		rw.version = object.GetResourceVersion()
		return false, 0, false
	case watch.Error:
		status, ok := apierrors.FromObject(event.Object).(*apierrors.StatusError)
		if !ok {
			logr.FromContextOrDiscard(ctx).Error(nil, "watch error is not a Status", "object", event.Object)
			return true, 0, true
		}
		if status.ErrStatus.Code == http.StatusGone {
			rw.send(ctx, event)
			return false, 0, true
		}
		logr.FromContextOrDiscard(ctx).V(1).Info("watch interrupted", "err", status, "resourceVersion", rw.version)
		if d := status.ErrStatus.Details; d != nil {
			after = time.Duration(d.RetryAfterSeconds) * time.Second
		}
		return true, after, true
	}
	rw.fail(ctx, fmt.Errorf("watch event of unknown type %q", event.Type))
	return false, 0, true
}

// fail sends an error of the RetryWatcher itself.
func (rw *RetryWatcher) fail(ctx context.Context, err error) {
	rw.send(ctx, watch.Event{Type: watch.Error, Object: &apierrors.NewInternalError(fmt.Errorf("RetryWatcher: %w", err)).ErrStatus})
}

// send reports whether the event was read.
func (rw *RetryWatcher) send(ctx context.Context, event watch.Event) bool {
	select {
	case rw.events <- event:
		return true
	case <-ctx.Done():
		return false
	}
}

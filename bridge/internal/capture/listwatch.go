package capture

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/cache"
	"vedette.dev/rest"
)

// ListWatch returns a ListerWatcher that calls another one, such as one of client-go, and reads the bytes of its answers where it can. The
// other must send one request with the context that it is given, and return the answer as it comes. listOnly reports that a watch cannot
// begin with all objects.
func ListWatch(behind cache.ListerWatcherWithContext, listOnly func() bool) cache.RawListerWatcher {
	return &listWatch{behind, listOnly}
}

type listWatch struct {
	behind   cache.ListerWatcherWithContext
	listOnly func() bool
}

var (
	_ cache.RawListerWatcher         = (*listWatch)(nil)
	_ cache.ListerWatcherWithContext = (*listWatch)(nil)
)

// IsWatchListSemanticsUnSupported is spelled as in client-go.
func (l *listWatch) IsWatchListSemanticsUnSupported() bool { return l.listOnly() }

func (l *listWatch) List(options metav1.ListOptions) (runtime.Object, error) {
	return l.ListWithContext(context.Background(), options)
}

func (l *listWatch) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return l.WatchWithContext(context.Background(), options)
}

func (l *listWatch) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	return l.behind.ListWithContext(ctx, options)
}

func (l *listWatch) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return l.behind.WatchWithContext(ctx, options)
}

// ListRaw implements cache.RawListerWatcher. An error of client-go does not count if it comes after client-go has read the answer: it was
// empty.
func (l *listWatch) ListRaw(ctx context.Context, options metav1.ListOptions) (*rest.Items, runtime.Object, error) {
	call, slot := withSlot(ctx)
	list, err := l.behind.ListWithContext(call, options)
	a := slot.get()
	if a == nil {
		return nil, list, err
	}
	if !a.wasRead() {
		a.discard() // something has refused the answer before client-go saw it
		return nil, list, err
	}
	if !a.take() {
		return nil, list, err
	}
	items, err := rest.ItemsOf(a.response(ctx))
	return items, nil, err
}

// WatchRaw implements cache.RawListerWatcher.
func (l *listWatch) WatchRaw(ctx context.Context, options metav1.ListOptions) (*rest.Frames, watch.Interface, error) {
	call, slot := withSlot(ctx)
	w, err := l.behind.WatchWithContext(call, options)
	a := slot.get()
	if err != nil {
		a.discard()
		return nil, nil, err
	}
	if a == nil {
		return nil, w, nil
	}
	// A goroutine of client-go is about to read. If it reads through something that the program has put around the answer, the bytes
	// are its own.
	timer := time.NewTimer(firstRead)
	defer timer.Stop()
	select {
	case <-a.read:
	case <-timer.C:
	case <-ctx.Done():
	}
	if !a.take() {
		return nil, w, nil
	}
	if w != nil {
		w.Stop()
	}
	frames, err := rest.FramesOf(a.response(ctx))
	return frames, nil, err
}

// firstRead is how long to wait for client-go to begin to read a watch. It does so at once.
const firstRead = time.Second

// wasRead reports whether an answer was read or closed.
func (a *answer) wasRead() bool {
	select {
	case <-a.read:
		return true
	default:
		return false
	}
}

package bridge

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clientgofeatures "k8s.io/client-go/features"
	clientgocache "k8s.io/client-go/tools/cache"

	"vedette.dev/cache"
	"vedette.dev/rest"
)

// decoded returns a ListerWatcher that calls another one.
func decoded(lw clientgocache.ListerWatcher) cache.ListerWatcher {
	behind := clientgocache.ToListerWatcherWithContext(lw)
	out := &cache.ListWatch{ListWithContextFunc: behind.ListWithContext, WatchFuncWithContext: behind.WatchWithContext}
	if plain, ok := lw.(*clientgocache.ListWatch); ok {
		out.DisableChunking = plain.DisableChunking
	}
	return cache.ToListWatcherWithWatchListSemantics(out, semantics{lw})
}

// raw returns a ListerWatcher that calls another one, and reads the bytes of its answers where it can.
func raw(lw clientgocache.ListerWatcher) cache.ListerWatcher {
	return &rawListWatch{semantics: semantics{lw}, behind: clientgocache.ToListerWatcherWithContext(lw)}
}

// semantics says whether a watch may begin with all objects.
type semantics struct{ lw clientgocache.ListerWatcher }

// IsWatchListSemanticsUnSupported is spelled as in client-go.
func (s semantics) IsWatchListSemanticsUnSupported() bool {
	if !clientgofeatures.FeatureGates().Enabled(clientgofeatures.WatchListClient) {
		return true
	}
	refuser, ok := s.lw.(interface{ IsWatchListSemanticsUnSupported() bool })
	return ok && refuser.IsWatchListSemanticsUnSupported()
}

type rawListWatch struct {
	semantics
	behind clientgocache.ListerWatcherWithContext
}

var (
	_ cache.RawListerWatcher         = (*rawListWatch)(nil)
	_ cache.ListerWatcherWithContext = (*rawListWatch)(nil)
)

func (l *rawListWatch) List(options metav1.ListOptions) (runtime.Object, error) {
	return l.ListWithContext(context.Background(), options)
}

func (l *rawListWatch) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return l.WatchWithContext(context.Background(), options)
}

func (l *rawListWatch) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	return l.behind.ListWithContext(ctx, options)
}

func (l *rawListWatch) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return l.behind.WatchWithContext(ctx, options)
}

// ListRaw implements cache.RawListerWatcher. An error of client-go does not count if it comes after client-go has read the answer: it was
// empty.
func (l *rawListWatch) ListRaw(ctx context.Context, options metav1.ListOptions) (*rest.Items, runtime.Object, error) {
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
func (l *rawListWatch) WatchRaw(ctx context.Context, options metav1.ListOptions) (*rest.Frames, watch.Interface, error) {
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

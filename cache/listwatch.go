package cache

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/rest"
)

// Lister lists the objects of one kind. The result is a list type; its version is where a watch can start.
type Lister interface {
	List(options metav1.ListOptions) (runtime.Object, error)
}

// ListerWithContext is a [Lister] that stops when its context ends.
type ListerWithContext interface {
	ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error)
}

// Watcher watches for changes after a version. If it returns an error, there is no watch to stop.
type Watcher interface {
	Watch(options metav1.ListOptions) (watch.Interface, error)
}

// WatcherWithContext is a [Watcher] that stops when its context ends.
type WatcherWithContext interface {
	WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// ListerWatcher is the source of a reflector.
type ListerWatcher interface {
	Lister
	Watcher
}

// ListerWatcherWithContext is a [ListerWatcher] that stops when its context ends.
type ListerWatcherWithContext interface {
	ListerWithContext
	WatcherWithContext
}

// RawListerWatcher is a [ListerWatcher] that can return undecoded responses. A reflector then decodes each object
// separately, and only if the store does not have it. It is for ListerWatchers that use other clients than those of
// package rest: see [NewListWatchFromRequester] for these.
type RawListerWatcher interface {
	ListerWatcher
	// ListRaw lists, and returns the undecoded response or, if that is not possible, the decoded list: one of the two,
	// or an error.
	ListRaw(ctx context.Context, options metav1.ListOptions) (*rest.Items, runtime.Object, error)
	// WatchRaw watches, and returns the frames or, if that is not possible, a decoded watch: one of the two, or an
	// error. Frames end when the context does.
	WatchRaw(ctx context.Context, options metav1.ListOptions) (*rest.Frames, watch.Interface, error)
}

// ToListerWithContext returns l if it implements [ListerWithContext]; otherwise it returns an adapter that ignores the context.
func ToListerWithContext(l Lister) ListerWithContext {
	if l, ok := l.(ListerWithContext); ok {
		return l
	}
	return contextUnawareLister{l}
}

// ToWatcherWithContext returns w if it implements [WatcherWithContext]; otherwise it returns an adapter that ignores the context.
func ToWatcherWithContext(w Watcher) WatcherWithContext {
	if w, ok := w.(WatcherWithContext); ok {
		return w
	}
	return contextUnawareWatcher{w}
}

// ToListerWatcherWithContext returns lw if it implements [ListerWatcherWithContext]; otherwise it returns an adapter that ignores the
// context.
func ToListerWatcherWithContext(lw ListerWatcher) ListerWatcherWithContext {
	if lw, ok := lw.(ListerWatcherWithContext); ok {
		return lw
	}
	return contextUnawareListerWatcher{ToListerWithContext(lw), ToWatcherWithContext(lw)}
}

type contextUnawareLister struct{ lister Lister }

func (h contextUnawareLister) ListWithContext(_ context.Context, options metav1.ListOptions) (runtime.Object, error) {
	return h.lister.List(options)
}

type contextUnawareWatcher struct{ watcher Watcher }

func (h contextUnawareWatcher) WatchWithContext(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return h.watcher.Watch(options)
}

type contextUnawareListerWatcher struct {
	ListerWithContext
	WatcherWithContext
}

// ListFunc, WatchFunc and those with a context are the functions of a ListWatch.
type (
	ListFunc             func(options metav1.ListOptions) (runtime.Object, error)
	WatchFunc            func(options metav1.ListOptions) (watch.Interface, error)
	ListWithContextFunc  func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error)
	WatchFuncWithContext func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
)

// ListWatch is a [ListerWatcher] that calls functions. One function of each pair is enough; those with a context are
// preferred.
type ListWatch struct {
	ListFunc  ListFunc
	WatchFunc WatchFunc

	ListWithContextFunc  ListWithContextFunc
	WatchFuncWithContext WatchFuncWithContext

	// DisableChunking makes a reflector list without pages.
	DisableChunking bool

	// raw has the requests that the functions send; nil if they are not known.
	raw *rawListWatch
}

var (
	_ ListerWatcher            = (*ListWatch)(nil)
	_ ListerWatcherWithContext = (*ListWatch)(nil)
)

// List calls the list function.
func (lw *ListWatch) List(options metav1.ListOptions) (runtime.Object, error) {
	return lw.list(context.Background(), options, lw.ListFunc != nil)
}

// ListWithContext calls the list function.
func (lw *ListWatch) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	return lw.list(ctx, options, lw.ListWithContextFunc == nil)
}

// Watch calls the watch function.
func (lw *ListWatch) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return lw.watch(context.Background(), options, lw.WatchFunc != nil)
}

// WatchWithContext calls the watch function.
func (lw *ListWatch) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return lw.watch(ctx, options, lw.WatchFuncWithContext == nil)
}

func (lw *ListWatch) list(ctx context.Context, options metav1.ListOptions, plain bool) (runtime.Object, error) {
	switch {
	case plain && lw.ListFunc != nil:
		return lw.ListFunc(options)
	case lw.ListWithContextFunc != nil:
		return lw.ListWithContextFunc(ctx, options)
	}
	return nil, errors.New("ListWatch has no list function")
}

func (lw *ListWatch) watch(ctx context.Context, options metav1.ListOptions, plain bool) (watch.Interface, error) {
	switch {
	case plain && lw.WatchFunc != nil:
		return lw.WatchFunc(options)
	case lw.WatchFuncWithContext != nil:
		return lw.WatchFuncWithContext(ctx, options)
	}
	return nil, errors.New("ListWatch has no watch function")
}

// watchListRefuser is a client or a ListerWatcher that may not support streaming lists.
type watchListRefuser interface {
	// IsWatchListSemanticsUnSupported is spelled as in client-go.
	IsWatchListSemanticsUnSupported() bool
}

func refusesWatchList(client any) bool {
	refuser, ok := client.(watchListRefuser)
	return ok && refuser.IsWatchListSemanticsUnSupported()
}

// mayWatchList reports whether a reflector may ask lw for a streaming list. A type of the program that wraps another
// ListerWatcher, and does not say whether it supports them, may drop the bookmark that ends the list: a filter of events by
// UID or by label does.
func mayWatchList(lw ListerWatcher) bool {
	if r, ok := lw.(watchListRefuser); ok {
		return !r.IsWatchListSemanticsUnSupported()
	}
	_, isRaw := lw.(RawListerWatcher)
	return isRaw || plainListWatch(lw) != nil
}

// ToListWatcherWithWatchListSemantics returns a [ListerWatcher] that reports what the client reports: whether it supports
// streaming lists. Fake clients do not.
func ToListWatcherWithWatchListSemantics(lw *ListWatch, client any) ListerWatcher {
	return &listWatchWithSemantics{lw, refusesWatchList(client)}
}

type listWatchWithSemantics struct {
	*ListWatch
	refuses bool
}

var (
	_ watchListRefuser         = (*listWatchWithSemantics)(nil)
	_ ListerWatcherWithContext = (*listWatchWithSemantics)(nil)
)

func (lw *listWatchWithSemantics) IsWatchListSemanticsUnSupported() bool { return lw.refuses }

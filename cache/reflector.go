package cache

import (
	"context"
	"io"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"

	"vedette.dev/internal/listwatch"
)

// Reflector keeps a store in sync with a server: it lists, and then watches, for as long as it runs.
//
//  1. It starts a streaming list (a watch that begins with all objects). If the server does not support it, or does not
//     mark the end of the list, it lists in pages, and tries a streaming list again after a while.
//  2. The new state is written to the store in one step. Objects that the store has in the same version are not decoded
//     again.
//  3. Each change is written to the store when it arrives (watching). A watch that ends is started again at the last
//     version.
//  4. After a failure it waits (backing off), and continues with the watch, if that is possible without missing
//     changes, or with 1.
//
// A store whose methods block stops the reflector until they return. Nothing is dropped.
type Reflector struct {
	// WatchListPageSize is the page size of lists. 0 means 500, and no pages where they would prevent the server from
	// using its watch cache. Any other number makes every list a quorum read from etcd.
	WatchListPageSize int64
	// ShouldResync is called after each resync period to decide whether to call Resync of the store. Nil means true.
	ShouldResync func() bool
	// MaxInternalErrorRetryDuration is how long a watch that ends with an internal error of the server is retried
	// before a relist. 0 means a relist at once.
	MaxInternalErrorRetryDuration time.Duration
	// OnInconsistency, if not nil, makes the reflector compare the objects of each streaming list with a list of the
	// same version, and is called with the differences. It costs a list each time, and is for testing servers.
	OnInconsistency func(err *InconsistencyError)

	// core is the implementation; Reflector is the API of client-go.
	core *listwatch.Reflector
}

// ResourceVersionUpdater is a [ReflectorStore] that receives every version that the reflector has reached.
type ResourceVersionUpdater interface {
	UpdateResourceVersion(resourceVersion string)
}

var _ StateReader = (*Reflector)(nil)

// ReflectorOptions configures a [Reflector]. The zero value works.
type ReflectorOptions struct {
	// Logger receives failures and recoveries, one line each. If nil, nothing is logged.
	Logger *logr.Logger
	// Name is the result of Name: if empty, the source location where the reflector is created.
	Name string
	// TypeDescription is the result of TypeDescription: if empty, the Go type, or the kind of unstructured objects.
	TypeDescription string
	// ResyncPeriod is the time between two calls of Resync of the store. 0 means never.
	ResyncPeriod time.Duration
	// MinWatchTimeout is the minimum timeout of a watch; the maximum is twice that. It is at least five minutes.
	MinWatchTimeout time.Duration
	// Clock is for tests that do not run in a synctest bubble. Nil means the real one.
	Clock clock.Clock
	// Backoff is the backoff after failures. It is reset after two minutes without one. Nil means: from 0.8 s up to 5
	// s, and after two minutes of failures up to 30 s, less a random part of up to a half.
	Backoff *wait.Backoff
}

// NewReflector returns a reflector that is named after the source location of the call.
func NewReflector(lw ListerWatcher, expectedType interface{}, store ReflectorStore, resyncPeriod time.Duration) *Reflector {
	return NewReflectorWithOptions(lw, expectedType, store, ReflectorOptions{ResyncPeriod: resyncPeriod})
}

// NewNamedReflector returns a reflector with a name.
func NewNamedReflector(name string, lw ListerWatcher, expectedType interface{}, store ReflectorStore, resyncPeriod time.Duration) *Reflector {
	return NewReflectorWithOptions(lw, expectedType, store, ReflectorOptions{Name: name, ResyncPeriod: resyncPeriod})
}

// NewNamespaceKeyedIndexerAndReflector returns an indexer with an index by namespace, and the reflector that fills it.
func NewNamespaceKeyedIndexerAndReflector(lw ListerWatcher, expectedType interface{}, resyncPeriod time.Duration) (indexer Indexer, reflector *Reflector) {
	indexer = NewIndexer(MetaNamespaceKeyFunc, Indexers{NamespaceIndex: MetaNamespaceIndexFunc})
	return indexer, NewReflector(lw, expectedType, indexer, resyncPeriod)
}

// NewReflectorWithOptions returns a reflector. Objects must have the type of expectedType, and if that is an
// unstructured object with a kind, the same kind. Nil means any.
func NewReflectorWithOptions(lw ListerWatcher, expectedType interface{}, store ReflectorStore, options ReflectorOptions) *Reflector {
	return newReflector(lw, expectedType, store, options, nil)
}

// newReflector returns a reflector that calls onError with its errors. Nil means the default handler.
func newReflector(lw ListerWatcher, expectedType any, store ReflectorStore, options ReflectorOptions, onError WatchErrorHandlerWithContext) *Reflector {
	config := listwatch.Config{
		Name:            options.Name,
		Type:            options.TypeDescription,
		Example:         expectedType,
		Source:          sourceOf(lw),
		Sink:            newStoreSink(store),
		Logger:          loggerFrom(options.Logger),
		Clock:           options.Clock,
		ResyncPeriod:    options.ResyncPeriod,
		MinWatchTimeout: options.MinWatchTimeout,
		Backoff:         options.Backoff,
	}
	r := &Reflector{}
	if onError != nil {
		config.OnError = func(ctx context.Context, _ *listwatch.Reflector, err error) { onError(ctx, r, err) }
	}
	if config.Name == "" {
		config.Name = listwatch.CallSite()
	}
	r.core = listwatch.New(config)
	return r
}

// Name returns the name of the reflector in logs.
func (r *Reflector) Name() string { return r.core.Name() }

// TypeDescription returns what is listed and watched.
func (r *Reflector) TypeDescription() string { return r.core.Type() }

// State returns what the reflector is doing.
func (r *Reflector) State() State { return stateFrom(r.core.State()) }

// LastSyncResourceVersion returns the last version that was written to the store.
func (r *Reflector) LastSyncResourceVersion() string { return r.core.LastSyncResourceVersion() }

// Run is RunWithContext until a channel is closed.
func (r *Reflector) Run(stopCh <-chan struct{}) { r.RunWithContext(wait.ContextForChannel(stopCh)) }

// ListAndWatch is ListAndWatchWithContext until a channel is closed.
func (r *Reflector) ListAndWatch(stopCh <-chan struct{}) error {
	return r.ListAndWatchWithContext(wait.ContextForChannel(stopCh))
}

// RunWithContext lists and watches until the context ends.
func (r *Reflector) RunWithContext(ctx context.Context) {
	r.set()
	r.core.Run(ctx)
}

// ListAndWatchWithContext lists once, and then watches for as long as that is possible without a relist. The error is
// that of a list or of a watch that could not start; it is nil if the context ended, or a watch was interrupted later.
func (r *Reflector) ListAndWatchWithContext(ctx context.Context) error {
	r.set()
	return publicError(r.core.ListAndWatch(ctx))
}

// set passes the fields that a program may have set to the core.
func (r *Reflector) set() {
	var onInconsistency func(*listwatch.Inconsistency)
	if f := r.OnInconsistency; f != nil {
		onInconsistency = func(e *listwatch.Inconsistency) { f((*InconsistencyError)(e)) }
	}
	r.core.Set(r.WatchListPageSize, r.ShouldResync, r.MaxInternalErrorRetryDuration, onInconsistency)
}

// WatchErrorHandler is called when a list fails, or a watch cannot start. The reflector backs off after it has
// returned, so it should be fast.
type WatchErrorHandler func(r *Reflector, err error)

// WatchErrorHandlerWithContext is a [WatchErrorHandler] that is given the context of the reflector.
type WatchErrorHandlerWithContext func(ctx context.Context, r *Reflector, err error)

// DefaultWatchErrorHandler logs the error with the logger of the reflector, once for successive errors of a kind. The
// normal end of a watch, and a single expired version, are not logged.
func DefaultWatchErrorHandler(_ context.Context, r *Reflector, err error) {
	if err != io.EOF {
		r.core.LogFailure(err)
	}
}

// VeryShortWatchError means that a watch ended in less than a second without an event: the server accepts watches and
// does not serve them.
type VeryShortWatchError struct {
	// Name is the name of the reflector.
	Name string
}

func (e *VeryShortWatchError) Error() string { return (*listwatch.VeryShortWatchError)(e).Error() }

// InconsistencyError describes how the objects of a streaming list differ from a list of the same version. The cause is
// the server, or something between it and the client, that answers the same request in different ways.
type InconsistencyError struct {
	// Type is what was listed, and ResourceVersion the version.
	Type, ResourceVersion string
	// Missing are the keys that only the list had, Unlisted those that only the watch had, Different those with
	// different versions. Each has ten at most.
	Missing, Unlisted, Different []string
	// Count is the total number of differences.
	Count int
}

func (e *InconsistencyError) Error() string { return (*listwatch.Inconsistency)(e).Error() }

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

// Reflector keeps a store like what a server has: it lists, and then watches, for as long as it runs.
//
//  1. It asks for a watch that begins with all objects (streaming). From a server that refuses, or does not say where
//     they end, it gets a list in pages (listing), and tries the other again after a while.
//  2. The new state goes to the store in one step. What the store has in the same state is not decoded again.
//  3. Each change goes to the store as it comes (watching). A watch that ends is begun again at the last version.
//  4. When something fails it waits (backing off), and goes on with the watch, if that can be done without a loss, or
//     with 1.
//
// A store that does not return from a call stops the reflector until it does. Nothing is dropped.
type Reflector struct {
	// WatchListPageSize is the number of objects to ask for in a page of a list. 0 means 500, and no pages where they would
	// keep a server from answering out of its memory. Any other number makes every list a burden for the database of
	// the server.
	WatchListPageSize int64
	// ShouldResync is asked, each time the resync period is over, whether to call Resync of the store. Nil means yes.
	ShouldResync func() bool
	// MaxInternalErrorRetryDuration is for how long a watch that ends with an internal error of the server is begun again,
	// before there is a list. 0 means that there is a list at once.
	MaxInternalErrorRetryDuration time.Duration
	// OnInconsistency has the objects at the beginning of each watch compared with a list of the same version, and is called with what
	// differs. It costs a list each time, and is for those who do not trust a server. Nil means no comparison.
	OnInconsistency func(err *InconsistencyError)

	// core is the reflector itself: this one is the form that client-go gave it.
	core *listwatch.Reflector
}

// ResourceVersionUpdater is a ReflectorStore that wants to know of every version that the reflector has reached.
type ResourceVersionUpdater interface {
	UpdateResourceVersion(resourceVersion string)
}

var _ StateReader = (*Reflector)(nil)

// ReflectorOptions configures a Reflector. The zero value works.
type ReflectorOptions struct {
	// Logger receives failures and recoveries, one line each. If nil, nothing is logged.
	Logger *logr.Logger
	// Name is what Name returns: if empty, the place in the source where the reflector is made.
	Name string
	// TypeDescription is what TypeDescription returns: if empty, the Go type, or the kind of unstructured objects.
	TypeDescription string
	// ResyncPeriod is the time between two calls of Resync of the store. 0 means never.
	ResyncPeriod time.Duration
	// MinWatchTimeout is how long a watch lasts at least, if nothing ends it, and twice that at most. It is not less than
	// five minutes.
	MinWatchTimeout time.Duration
	// Clock is for tests that do not run in a synctest bubble. Nil means the real one.
	Clock clock.Clock
	// Backoff says how long to wait after failures. It begins anew after two minutes without one. Nil means: from 0.8 s up
	// to 5 s, and when it has gone on for two minutes up to 30 s, less a random part of up to a half.
	Backoff *wait.Backoff
}

// NewReflector returns a reflector that is named after the place where it is made.
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

// NewReflectorWithOptions returns a reflector. What it puts into the store has the type of expectedType, and if that is
// an unstructured object with a kind, the same kind. Nil means any.
func NewReflectorWithOptions(lw ListerWatcher, expectedType interface{}, store ReflectorStore, options ReflectorOptions) *Reflector {
	return newReflector(lw, expectedType, store, options, nil)
}

// newReflector returns a reflector whose errors a handler is called with. Nil means the default one.
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

// Name is how the reflector is called in logs.
func (r *Reflector) Name() string { return r.core.Name() }

// TypeDescription says what is listed and watched.
func (r *Reflector) TypeDescription() string { return r.core.Type() }

// State returns what the reflector is doing.
func (r *Reflector) State() State { return stateFrom(r.core.State()) }

// LastSyncResourceVersion returns the last version that the store was given.
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

// ListAndWatchWithContext lists once, and then watches for as long as that can be done without another list. The error is
// that of a list or of a watch that could not begin; it is nil if the context ended, or a watch broke off later.
func (r *Reflector) ListAndWatchWithContext(ctx context.Context) error {
	r.set()
	return publicError(r.core.ListAndWatch(ctx))
}

// set gives the core the fields that a program may have set.
func (r *Reflector) set() {
	var onInconsistency func(*listwatch.Inconsistency)
	if f := r.OnInconsistency; f != nil {
		onInconsistency = func(e *listwatch.Inconsistency) { f((*InconsistencyError)(e)) }
	}
	r.core.Set(r.WatchListPageSize, r.ShouldResync, r.MaxInternalErrorRetryDuration, onInconsistency)
}

// WatchErrorHandler is called when a list fails, or a watch cannot begin. The reflector waits and tries again when it
// has returned, so it should be quick.
type WatchErrorHandler func(r *Reflector, err error)

// WatchErrorHandlerWithContext is a WatchErrorHandler that is given the context of the reflector.
type WatchErrorHandlerWithContext func(ctx context.Context, r *Reflector, err error)

// DefaultWatchErrorHandler logs the error with the logger of the reflector, once for all errors of a kind that follow each other. That a
// watch has ended, or for once its version is too old, is not logged.
func DefaultWatchErrorHandler(_ context.Context, r *Reflector, err error) {
	if err != io.EOF {
		r.core.LogFailure(err)
	}
}

// VeryShortWatchError says that a watch ended in less than a second and brought nothing: the server accepts watches and
// does not serve them.
type VeryShortWatchError struct {
	// Name is that of the reflector.
	Name string
}

func (e *VeryShortWatchError) Error() string { return (*listwatch.VeryShortWatchError)(e).Error() }

// InconsistencyError says how the objects at the beginning of a watch differ from a list of the same version. It is the fault of a server,
// or of something between it and the client, that answers the same question in different ways.
type InconsistencyError struct {
	// Type is what was listed, and ResourceVersion the version.
	Type, ResourceVersion string
	// Missing are the keys that only the list had, Unlisted those that only the watch had, Different those that had another
	// version. Each has ten at most.
	Missing, Unlisted, Different []string
	// Count is how many there are in all.
	Count int
}

func (e *InconsistencyError) Error() string { return (*listwatch.Inconsistency)(e).Error() }

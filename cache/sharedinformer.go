package cache

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
)

// SharedInformer keeps a copy of the objects of one kind, and notifies any number of handlers of changes, with one list
// and watch. Those of this package also implement [StateReader].
//
// How a change is processed: (1) the reflector reads it from the server and (2) queues it in a [DeltaFIFO]; (3) the process loop
// takes all that is queued as one batch, (4) writes it to the store in one step, and (5) appends one notification for each
// change to a log; (6) each listener reads the log at its own pace, and calls its handler.
type SharedInformer interface {
	// AddEventHandler adds a handler with the resync period of the informer. If the informer is running, the handler first receives an
	// OnAdd for every object in the store and then every subsequent change, exactly once and in order. It returns an error if the informer
	// has stopped.
	AddEventHandler(handler ResourceEventHandler) (ResourceEventHandlerRegistration, error)
	// AddEventHandlerWithResyncPeriod adds a handler with a resync period of its own. Zero means that it never resyncs.
	AddEventHandlerWithResyncPeriod(handler ResourceEventHandler, resyncPeriod time.Duration) (ResourceEventHandlerRegistration, error)
	// AddEventHandlerWithOptions adds a handler with options.
	AddEventHandlerWithOptions(handler ResourceEventHandler, options HandlerOptions) (ResourceEventHandlerRegistration, error)
	// RemoveEventHandler removes a handler. It does not wait for a running call; ShutDownEventHandler does. It may be
	// called more than once, and by the handler itself.
	RemoveEventHandler(handle ResourceEventHandlerRegistration) error
	// GetStore returns the store, which is read-only.
	GetStore() Store
	// GetController returns a Controller whose Run does nothing. Use its HasSynced and LastSyncResourceVersion.
	GetController() Controller
	// Run is RunWithContext until the channel is closed.
	Run(stopCh <-chan struct{})
	// RunWithContext lists and watches until the context ends. When it returns, no goroutine of the informer is left.
	// An informer can be run only once.
	RunWithContext(ctx context.Context)
	// HasSynced reports whether the initial list is in the store and in the log that handlers are notified from.
	HasSynced() bool
	// HasSyncedChecker returns a DoneChecker whose Done channel is closed when HasSynced becomes true.
	HasSyncedChecker() DoneChecker
	// LastSyncResourceVersion returns the last resourceVersion that was received from the server, empty before it was.
	LastSyncResourceVersion() string
	// SetWatchErrorHandler sets a function that is called with each error that ends a list or watch. It is an error
	// after the start.
	SetWatchErrorHandler(handler WatchErrorHandler) error
	// SetWatchErrorHandlerWithContext is SetWatchErrorHandler for a function that takes a context.
	SetWatchErrorHandlerWithContext(handler WatchErrorHandlerWithContext) error
	// SetTransform sets a function that transforms every object before it is stored. It is an error after the start.
	SetTransform(handler TransformFunc) error
	// IsStopped reports whether the informer has ended.
	IsStopped() bool
}

// SharedIndexInformer is a [SharedInformer] whose store is an [Indexer].
type SharedIndexInformer interface {
	SharedInformer
	// AddIndexers adds indexes, also while the informer is running. It is an error after it has stopped.
	AddIndexers(indexers Indexers) error
	// GetIndexer returns the store, which is read-only.
	GetIndexer() Indexer
}

// ResourceEventHandlerRegistration is a handler of an informer.
type ResourceEventHandlerRegistration interface {
	// HasSynced reports whether the informer has synced and the handler has been called for every object of the initial list.
	HasSynced() bool
	// HasSyncedChecker returns a DoneChecker whose Done channel is closed when HasSynced becomes true.
	HasSyncedChecker() DoneChecker
}

// SharedIndexInformerOptions configures a [SharedIndexInformer]. The zero value works.
type SharedIndexInformerOptions struct {
	// ResyncPeriod is the default resync period of handlers. Zero or less means never.
	ResyncPeriod time.Duration
	// Indexers are the initial indexes.
	Indexers Indexers
	// ObjectDescription is the name of the objects in logs. Empty means the type of the example.
	ObjectDescription string
	// Identifier and InformerMetricsProvider are for the metrics of the informer.
	Identifier              InformerNameAndResource
	InformerMetricsProvider InformerMetricsProvider

	// The fields below are not in client-go.

	// Logger receives errors and state changes of the reflector, at most one line per change. If nil, the logger from the Run
	// context is used, or none.
	Logger *logr.Logger
	// MaxPending is the number of changes that may be queued between reflector and store before the reflector blocks.
	// Zero means 4096.
	MaxPending int
	// Backoff replaces the default backoff of the reflector.
	Backoff *wait.Backoff
	// OnInconsistency is passed to the Reflector.
	OnInconsistency func(err *InconsistencyError)
	// MutationDetector is given every object, and run with the informer. It is for tests.
	MutationDetector MutationDetector
	// Storage configures how the objects are stored.
	Storage Storage
}

// validate returns what is wrong with the options for an informer of objects such as the example.
func (o *SharedIndexInformerOptions) validate(example any) error {
	if err := o.Storage.Validate(reflect.TypeOf(example)); err != nil {
		return err
	}
	if o.MaxPending < 0 {
		return fmt.Errorf("cache: SharedIndexInformerOptions.MaxPending is %d, want 0 or more", o.MaxPending)
	}
	return nil
}

// HandlerOptions configures a handler. The zero value works.
type HandlerOptions struct {
	// Logger receives panics and delays of the handler. If nil, the logger of the informer is used.
	Logger *logr.Logger
	// ResyncPeriod is the resync period of the handler. Nil means that of the informer, zero or less never.
	ResyncPeriod *time.Duration

	// The fields below are not in client-go.

	// MaxWaiting is the number of updates and deletions that may be pending for the handler before they are coalesced
	// by key. Zero means 2048, and coalesces only when the handler is behind by more than 100 ms, so that a burst is delivered
	// change by change. A negative value means that nothing is coalesced, which takes unbounded memory.
	MaxWaiting int
	// OnPanic is what happens to a notification when the handler panics.
	OnPanic PanicPolicy
}

// PanicPolicy is what happens to a notification when a handler panics. The panic is counted and logged with the key in
// any case.
type PanicPolicy int

const (
	// PanicSkip continues with the next notification.
	PanicSkip PanicPolicy = iota
	// PanicRetry retries it twice, after one and two seconds, and then continues with the next.
	PanicRetry
	// PanicFatal lets the panic end the process.
	PanicFatal
)

// NewSharedInformer returns a [SharedInformer]. exampleObject is of the type to expect; nil means any.
func NewSharedInformer(lw ListerWatcher, exampleObject runtime.Object, defaultEventHandlerResyncPeriod time.Duration) SharedInformer {
	return NewSharedIndexInformer(lw, exampleObject, defaultEventHandlerResyncPeriod, nil)
}

// NewSharedIndexInformer returns a [SharedIndexInformer].
func NewSharedIndexInformer(lw ListerWatcher, exampleObject runtime.Object, defaultEventHandlerResyncPeriod time.Duration, indexers Indexers) SharedIndexInformer {
	return NewSharedIndexInformerWithOptions(lw, exampleObject, SharedIndexInformerOptions{
		ResyncPeriod: defaultEventHandlerResyncPeriod,
		Indexers:     indexers,
	})
}

// TypedSharedIndexInformer is a [SharedIndexInformer] whose objects are all of one type.
type TypedSharedIndexInformer[T Object] interface {
	SharedIndexInformer

	// AddTypedEventHandler is AddEventHandler for a typed handler, with at most one HandlerOptions.
	AddTypedEventHandler(handler TypedResourceEventHandler[T], options ...HandlerOptions) (ResourceEventHandlerRegistration, error)
	// AddTypedIndexers is AddIndexers for functions that take a T.
	AddTypedIndexers(indexers TypedIndexers[T]) error
	// GetTypedIndexer is GetIndexer without type assertions.
	GetTypedIndexer() TypedIndexer[T]
}

// NewTypedSharedIndexInformer returns a view of an informer whose objects are all of type T. It is the same informer.
func NewTypedSharedIndexInformer[T Object](informer SharedIndexInformer) TypedSharedIndexInformer[T] {
	return typedSharedIndexInformer[T]{informer}
}

type typedSharedIndexInformer[T Object] struct{ SharedIndexInformer }

func (s typedSharedIndexInformer[T]) AddTypedEventHandler(handler TypedResourceEventHandler[T], options ...HandlerOptions) (ResourceEventHandlerRegistration, error) {
	if len(options) > 1 {
		return nil, fmt.Errorf("at most one HandlerOptions may be passed, got %d", len(options))
	}
	var o HandlerOptions
	if len(options) == 1 {
		o = options[0]
	}
	return s.AddEventHandlerWithOptions(untypedHandler[T]{handler}, o)
}

func (s typedSharedIndexInformer[T]) AddTypedIndexers(indexers TypedIndexers[T]) error {
	return s.AddIndexers(TypedIndexersToIndexers(indexers))
}

func (s typedSharedIndexInformer[T]) GetTypedIndexer() TypedIndexer[T] {
	return NewTypedIndexer[T](s.GetIndexer())
}

// State returns what the informer is doing.
func (s typedSharedIndexInformer[T]) State() State { return StateOf(s.SharedIndexInformer) }

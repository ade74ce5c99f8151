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

// SharedInformer keeps a copy of the objects of one kind, and tells any number of handlers of changes, at the price of one
// list and watch. Those made here are a StateReader, too.
//
// The way of a change: (1) the reflector reads it from the server and (2) queues it in a DeltaFIFO; (3) the process loop
// takes all that is queued as one batch, (4) writes it to the store in one step, and (5) appends one notification for each
// change to a log; (6) each listener reads the log at its own pace, and calls its handler.
type SharedInformer interface {
	// AddEventHandler adds a handler with the resync period of the informer. If the informer runs, the handler hears first of
	// all objects that there are, and then of every change, neither twice nor not at all. It is an error to add one to an
	// informer that has stopped.
	AddEventHandler(handler ResourceEventHandler) (ResourceEventHandlerRegistration, error)
	// AddEventHandlerWithResyncPeriod adds a handler with a resync period of its own. Zero means that it never resyncs.
	AddEventHandlerWithResyncPeriod(handler ResourceEventHandler, resyncPeriod time.Duration) (ResourceEventHandlerRegistration, error)
	// AddEventHandlerWithOptions adds a handler with options.
	AddEventHandlerWithOptions(handler ResourceEventHandler, options HandlerOptions) (ResourceEventHandlerRegistration, error)
	// RemoveEventHandler lets a handler hear nothing more but what it is hearing now. It does not wait for that, and may be
	// called again, and from the handler itself. See ShutDownEventHandler.
	RemoveEventHandler(handle ResourceEventHandlerRegistration) error
	// GetStore returns the store, which is to be read only.
	GetStore() Store
	// GetController returns something whose Run does nothing. It is there for its HasSynced and LastSyncResourceVersion.
	GetController() Controller
	// Run is RunWithContext until the channel is closed.
	Run(stopCh <-chan struct{})
	// RunWithContext lists and watches until the context ends. When it returns, nothing of the informer runs any more. An
	// informer runs once.
	RunWithContext(ctx context.Context)
	// HasSynced tells whether the first list is in the store and on its way to the handlers.
	HasSynced() bool
	// HasSyncedChecker is HasSynced to wait for.
	HasSyncedChecker() DoneChecker
	// LastSyncResourceVersion is the last one heard of from the server, empty before it was.
	LastSyncResourceVersion() string
	// SetWatchErrorHandler has a function called with each error that ends a list or watch. It is an error after the start.
	SetWatchErrorHandler(handler WatchErrorHandler) error
	// SetWatchErrorHandlerWithContext is SetWatchErrorHandler for a function that takes a context.
	SetWatchErrorHandlerWithContext(handler WatchErrorHandlerWithContext) error
	// SetTransform has every object changed before it is stored. It is an error after the start.
	SetTransform(handler TransformFunc) error
	// IsStopped tells whether the informer has ended.
	IsStopped() bool
}

// SharedIndexInformer is a SharedInformer whose store is an Indexer.
type SharedIndexInformer interface {
	SharedInformer
	// AddIndexers adds indexes, also while the informer runs. It is an error when it has stopped.
	AddIndexers(indexers Indexers) error
	// GetIndexer returns the store, which is to be read only.
	GetIndexer() Indexer
}

// ResourceEventHandlerRegistration is a handler of an informer.
type ResourceEventHandlerRegistration interface {
	// HasSynced tells whether the informer has synced, and the handler has dealt with all that was there then.
	HasSynced() bool
	// HasSyncedChecker is HasSynced to wait for.
	HasSyncedChecker() DoneChecker
}

// SharedIndexInformerOptions configures a SharedIndexInformer. The zero value works.
type SharedIndexInformerOptions struct {
	// ResyncPeriod is how often handlers that do not say otherwise are told of all objects again. Zero or less means never.
	ResyncPeriod time.Duration
	// Indexers are the indexes to begin with.
	Indexers Indexers
	// ObjectDescription is what logs call the objects. Empty means the type of the example.
	ObjectDescription string
	// Identifier and InformerMetricsProvider have the informer counted.
	Identifier              InformerNameAndResource
	InformerMetricsProvider InformerMetricsProvider

	// What follows is not in client-go.

	// Logger hears of trouble, at most once a change. Nil means that of the context, or silence.
	Logger *logr.Logger
	// MaxPending is how many changes may wait between reflector and store before the reflector waits. Zero means 4096.
	MaxPending int
	// Backoff says how long to wait between two tries, in place of the reflector's own ways.
	Backoff *wait.Backoff
	// OnInconsistency is that of a Reflector.
	OnInconsistency func(err *InconsistencyError)
	// MutationDetector is shown every object, and run with the informer. It is for tests.
	MutationDetector MutationDetector
	// Storage says how the objects are kept.
	Storage Storage
}

// validate tells what is wrong with the options for an informer of objects such as the example.
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
	// Logger hears of panics and of delays. Nil means that of the informer.
	Logger *logr.Logger
	// ResyncPeriod is how often the handler is told of all objects again. Nil means that of the informer, zero or less never.
	ResyncPeriod *time.Duration

	// What follows is not in client-go.

	// MaxWaiting is how many updates and deletions may wait for the handler before what waits is merged by key. Zero means
	// 2048, less means that nothing is ever merged, and takes as much memory as it needs.
	MaxWaiting int
	// OnPanic says what becomes of a notification on which the handler panics.
	OnPanic PanicPolicy
}

// PanicPolicy is what becomes of a notification on which a handler panics. The panic is counted in any case, and logged
// with the key.
type PanicPolicy int

const (
	// PanicSkip goes on with the next notification.
	PanicSkip PanicPolicy = iota
	// PanicRetry tries it twice more, a second and two seconds later, and then goes on with the next.
	PanicRetry
	// PanicFatal lets the panic end the process.
	PanicFatal
)

// NewSharedInformer returns a SharedInformer. exampleObject is of the type to expect; nil means any.
func NewSharedInformer(lw ListerWatcher, exampleObject runtime.Object, defaultEventHandlerResyncPeriod time.Duration) SharedInformer {
	return NewSharedIndexInformer(lw, exampleObject, defaultEventHandlerResyncPeriod, nil)
}

// NewSharedIndexInformer returns a SharedIndexInformer.
func NewSharedIndexInformer(lw ListerWatcher, exampleObject runtime.Object, defaultEventHandlerResyncPeriod time.Duration, indexers Indexers) SharedIndexInformer {
	return NewSharedIndexInformerWithOptions(lw, exampleObject, SharedIndexInformerOptions{
		ResyncPeriod: defaultEventHandlerResyncPeriod,
		Indexers:     indexers,
	})
}

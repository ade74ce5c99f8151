package cache

import (
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
)

// InformerOptions configures an informer with a single handler.
type InformerOptions struct {
	// Logger receives errors and state changes of the reflector. If nil, the logger from the Run context is used, or none.
	Logger *logr.Logger
	// ListerWatcher is the source of the objects, ObjectType an example of them.
	ListerWatcher ListerWatcher
	ObjectType    runtime.Object
	// Handler is called for changes. Nil means none.
	Handler ResourceEventHandler
	// ResyncPeriod is how often the handler is called for all objects again. Zero means never.
	ResyncPeriod time.Duration
	// MinWatchTimeout is the minimum timeout of a watch that is sent to the server.
	MinWatchTimeout time.Duration
	// Indexers, if set, make the store an Indexer with these.
	Indexers Indexers
	// Transform transforms every object before it is stored.
	Transform TransformFunc
	// Identifier and InformerMetricsProvider are for the metrics of the informer.
	Identifier              InformerNameAndResource
	InformerMetricsProvider InformerMetricsProvider
}

// NewInformerWithOptions returns the store of an informer with a single handler, and the controller that fills it. It
// is a [SharedIndexInformer] inside, and treats slow or panicking handlers in the same way.
func NewInformerWithOptions(options InformerOptions) (Store, Controller) {
	return newSingle(options)
}

func newSingle(options InformerOptions) (Indexer, Controller) {
	s := newPlainInformer(options.ListerWatcher, options.ObjectType, SharedIndexInformerOptions{
		Logger:                  options.Logger,
		ResyncPeriod:            options.ResyncPeriod,
		Indexers:                options.Indexers,
		Identifier:              options.Identifier,
		InformerMetricsProvider: options.InformerMetricsProvider,
	}, options.MinWatchTimeout)
	if err := s.SetTransform(options.Transform); err != nil {
		panic(err) // it has not started
	}
	c := singleController{informer: s, handled: s}
	if options.Handler != nil {
		l, err := s.AddEventHandler(options.Handler)
		if err != nil {
			panic(err) // it has not stopped, and there is a handler
		}
		c.handled = l.HasSyncedChecker()
	}
	return s.indexer, c
}

// singleController has synced when its handler has.
type singleController struct {
	*informer
	handled DoneChecker
}

func (c singleController) HasSynced() bool { return IsDone(c.handled) }

func (c singleController) HasSyncedChecker() DoneChecker { return c.handled }

// NewInformer returns the store of an informer with a single handler, and its controller.
func NewInformer(lw ListerWatcher, objType runtime.Object, resyncPeriod time.Duration, h ResourceEventHandler) (Store, Controller) {
	return newSingle(InformerOptions{ListerWatcher: lw, ObjectType: objType, ResyncPeriod: resyncPeriod, Handler: h})
}

// NewIndexerInformer is [NewInformer] with indexes.
func NewIndexerInformer(lw ListerWatcher, objType runtime.Object, resyncPeriod time.Duration, h ResourceEventHandler, indexers Indexers) (Indexer, Controller) {
	return newSingle(InformerOptions{ListerWatcher: lw, ObjectType: objType, ResyncPeriod: resyncPeriod, Handler: h, Indexers: indexers})
}

// NewTransformingInformer is [NewInformer] with a transform.
func NewTransformingInformer(lw ListerWatcher, objType runtime.Object, resyncPeriod time.Duration, h ResourceEventHandler, transformer TransformFunc) (Store, Controller) {
	return newSingle(InformerOptions{ListerWatcher: lw, ObjectType: objType, ResyncPeriod: resyncPeriod, Handler: h, Transform: transformer})
}

// NewTransformingIndexerInformer is [NewIndexerInformer] with a transform.
func NewTransformingIndexerInformer(lw ListerWatcher, objType runtime.Object, resyncPeriod time.Duration, h ResourceEventHandler, indexers Indexers, transformer TransformFunc) (Indexer, Controller) {
	return newSingle(InformerOptions{
		ListerWatcher: lw, ObjectType: objType, ResyncPeriod: resyncPeriod, Handler: h, Indexers: indexers, Transform: transformer,
	})
}

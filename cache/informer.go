package cache

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"

	"vedette.dev/internal/codec"
	"vedette.dev/internal/engine"
	"vedette.dev/internal/listwatch"
	"vedette.dev/internal/table"
)

// informer implements SharedIndexInformer with an engine.
type informer struct {
	engine  *engine.Informer
	indexer *cache
}

var (
	_ SharedIndexInformer = (*informer)(nil)
	_ StateReader         = (*informer)(nil)
	_ DoneChecker         = (*informer)(nil)
)

// NewSharedIndexInformerWithOptions returns a [SharedIndexInformer]. It panics if the options are invalid.
func NewSharedIndexInformerWithOptions(lw ListerWatcher, exampleObject runtime.Object, options SharedIndexInformerOptions) SharedIndexInformer {
	return newPlainInformer(lw, exampleObject, options, 0)
}

// newPlainInformer returns an informer with one stream and one partition.
func newPlainInformer(lw ListerWatcher, example runtime.Object, options SharedIndexInformerOptions, minWatchTimeout time.Duration) *informer {
	config, indexer := engineConfig(example, options)
	config.MinWatchTimeout = minWatchTimeout
	return newInformer(engine.NewPlain(config, sourceOf(lw)), indexer)
}

// NewDividedInformer returns an informer whose objects are divided among partitions, its engine, with which partitions
// and streams are added, and a function that converts a state of the engine to a State. It is for package shard, and of
// no use outside of this module. The keys of its store begin with the prefix of the stream that the object came from,
// and its store has the index engine.PartitionIndex.
func NewDividedInformer(exampleObject runtime.Object, options SharedIndexInformerOptions) (SharedIndexInformer, *engine.Informer, func(engine.State) State) {
	if _, taken := options.Indexers[engine.PartitionIndex]; taken {
		panic("cache: SharedIndexInformerOptions.Indexers has \"" + engine.PartitionIndex + "\", which is reserved")
	}
	options.InformerMetricsProvider = nil // there is neither one queue nor one version
	config, indexer := engineConfig(exampleObject, options)
	config.Table.OwnerIndex = &table.Index{Name: engine.PartitionIndex, Func: indexer.ownersOf}
	s := newInformer(engine.New(config), indexer)
	return s, s.engine, informerState
}

// ownersOf is the function of the index of partitions: it returns the partition that owns the key of an object.
func (c *cache) ownersOf(obj any) ([]string, error) {
	key, err := c.keyFunc(obj)
	if err != nil {
		return nil, KeyError{obj, err}
	}
	if owner, ok := c.table.Owner(key); ok {
		return []string{owner}, nil
	}
	return nil, nil
}

func newInformer(e *engine.Informer, indexer *cache) *informer {
	indexer.table = e.Table()
	return &informer{engine: e, indexer: indexer}
}

// engineConfig returns the configuration of an engine for an informer with these options, and its store without a
// table. It panics if the options are invalid.
func engineConfig(example runtime.Object, options SharedIndexInformerOptions) (engine.Config, *cache) {
	if err := options.validate(example); err != nil {
		panic(err)
	}
	config := engine.Config{
		Example: example,
		Type:    options.ObjectDescription,
		Table:   tableConfig(options.Indexers),
		NewCodec: func(f func(any) (any, error)) (*codec.Codec, func(any) (any, error)) {
			return options.newCodec(example, f)
		},
		MaxPending:   options.MaxPending,
		ResyncPeriod: options.ResyncPeriod,
		Backoff:      options.Backoff,
		Logger:       options.Logger,
		Processed:    processedMetrics(options.Identifier, options.InformerMetricsProvider),
	}
	config.Table.OnVersion = onVersion(versionMetric(options.Identifier, options.InformerMetricsProvider))
	if f := options.OnInconsistency; f != nil {
		config.OnInconsistency = func(e *listwatch.Inconsistency) { f((*InconsistencyError)(e)) }
	}
	if d := options.MutationDetector; d != nil {
		config.Observe, config.Background = d.AddObject, d.Run
	}
	return config, &cache{keyFunc: DeletionHandlingMetaNamespaceKeyFunc, decode: options.decoder()}
}

// newCodec returns the codec for objects such as the example, and the transform that remains if the codec drops managed
// fields in place of StripManagedFields.
func (o SharedIndexInformerOptions) newCodec(example any, transform TransformFunc) (*codec.Codec, TransformFunc) {
	if transform.stripsManagedFields() && len(o.Storage.Keep) == 0 && codec.IsStruct(example) {
		o.Storage, transform = o.Storage.withoutManagedFields(), nil
	}
	return o.codec(example, transform), transform
}

// Run is RunWithContext until the channel is closed.
func (s *informer) Run(stopCh <-chan struct{}) { s.RunWithContext(wait.ContextForChannel(stopCh)) }

// RunWithContext lists and watches until the context ends. When it returns, no goroutine of the informer is left.
func (s *informer) RunWithContext(ctx context.Context) { s.engine.Run(ctx) }

// HasSynced reports whether the initial lists are in the store and in the log that handlers are notified from.
func (s *informer) HasSynced() bool { return IsDone(s) }

// HasSyncedChecker returns a DoneChecker whose channel is closed when HasSynced becomes true.
func (s *informer) HasSyncedChecker() DoneChecker { return s }

// Name implements DoneChecker.
func (s *informer) Name() string { return "informer of " + s.engine.Describe() }

// Done implements DoneChecker.
func (s *informer) Done() <-chan struct{} { return s.engine.Done() }

// IsStopped reports whether the informer has ended.
func (s *informer) IsStopped() bool { return s.engine.IsStopped() }

// State returns what the informer is doing: the state of the stream that is worst off, with the totals of all.
func (s *informer) State() State { return informerState(s.engine.State()) }

// GetStore returns the store, which is read-only.
func (s *informer) GetStore() Store { return s.indexer }

// GetIndexer returns the store, which is read-only.
func (s *informer) GetIndexer() Indexer { return s.indexer }

// GetController returns a Controller whose Run does nothing.
func (s *informer) GetController() Controller { return idleController{s} }

// idleController is the result of GetController: the informer runs by itself.
type idleController struct{ *informer }

func (idleController) Run(<-chan struct{})            {}
func (idleController) RunWithContext(context.Context) {}

// AddIndexers adds indexes, also while the informer is running.
func (s *informer) AddIndexers(indexers Indexers) error {
	if s.IsStopped() {
		return engine.ErrStopped
	}
	return s.indexer.AddIndexers(indexers)
}

// SetTransform sets the function that transforms each object before it is stored. It is an error after the start.
func (s *informer) SetTransform(handler TransformFunc) error { return s.engine.SetTransform(handler) }

// SetWatchErrorHandler sets the function that is called with each error that ends a list or watch. It is an error after the start.
func (s *informer) SetWatchErrorHandler(handler WatchErrorHandler) error {
	return s.SetWatchErrorHandlerWithContext(errorHandler(nil, handler))
}

// SetWatchErrorHandlerWithContext is SetWatchErrorHandler for a function that takes a context.
func (s *informer) SetWatchErrorHandlerWithContext(handler WatchErrorHandlerWithContext) error {
	if handler == nil {
		return s.engine.SetErrorHandler(nil)
	}
	return s.engine.SetErrorHandler(func(ctx context.Context, core *listwatch.Reflector, err error) {
		handler(ctx, &Reflector{core: core}, err)
	})
}

// LastSyncResourceVersion returns the version of the only stream. It is empty if there may be several, which need not
// be equally far: a NamespacedInformer has none.
func (s *informer) LastSyncResourceVersion() string { return s.engine.LastSyncResourceVersion() }

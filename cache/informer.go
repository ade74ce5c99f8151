package cache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
)

// informer is every informer of this package.
type informer struct {
	example runtime.Object
	options SharedIndexInformerOptions
	indexer *cache
	applier *applier
	synced  chan struct{} // closed when the first lists are in the store and in the log
	metrics informerMetrics
	// minWatchTimeout is for the reflectors.
	minWatchTimeout time.Duration

	// telling is held from when the store is written until the notices are in the log. Who holds it sees both in step.
	telling   sync.Mutex
	processor *processor

	mu        sync.Mutex
	started   bool
	ending    bool // no feed may be added
	stopped   bool
	transform TransformFunc
	onError   WatchErrorHandlerWithContext
	queue     *DeltaFIFO
	codec     *codec
	// feeds is where the objects come from, by the namespace that they cover; "" is everything.
	feeds map[string]*feed
	// running is the context of the reflectors, and reflecting counts them.
	running    context.Context
	reflecting sync.WaitGroup
	logger     logr.Logger
}

// defaultPending is how many changes may wait for the store.
const defaultPending = 4096

var (
	errStarted = errors.New("informer has already started")
	errStopped = errors.New("informer has already stopped")
)

// NewSharedIndexInformerWithOptions returns a SharedIndexInformer. It panics if the options cannot be.
func NewSharedIndexInformerWithOptions(lw ListerWatcher, exampleObject runtime.Object, options SharedIndexInformerOptions) SharedIndexInformer {
	s := newInformer(exampleObject, options)
	s.feeds[""] = &feed{lw: lw}
	return s
}

func newInformer(example runtime.Object, options SharedIndexInformerOptions) *informer {
	if err := options.validate(example); err != nil {
		panic(err)
	}
	s := &informer{
		example: example,
		options: options,
		synced:  make(chan struct{}),
		logger:  loggerFrom(options.Logger),
		feeds:   map[string]*feed{},
	}
	s.indexer = newCache(DeletionHandlingMetaNamespaceKeyFunc, options.Indexers,
		[]StoreOption{WithStoreMetrics(options.Identifier, options.InformerMetricsProvider)})
	s.indexer.open = options.opener()
	s.metrics = newInformerMetrics(options.Identifier, options.InformerMetricsProvider)
	s.processor = newProcessor(options.ResyncPeriod, s.logger)
	s.applier = &applier{table: s.indexer.table, detector: options.MutationDetector, telling: &s.telling, tell: s.processor.append}
	return s
}

func (s *informer) Run(stopCh <-chan struct{}) { s.RunWithContext(wait.ContextForChannel(stopCh)) }

func (s *informer) RunWithContext(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !s.begin(ctx) {
		s.log().Info("The informer has started already, and runs only once", "type", s.describe())
		return
	}
	if d := s.options.MutationDetector; d != nil {
		s.reflecting.Go(func() { d.Run(ctx.Done()) })
	}
	release := context.AfterFunc(ctx, s.queue.Close)
	defer release()
	for s.queue.popBatch(s.process) == nil {
	}
	s.end()
}

// begin starts everything but the process loop.
func (s *informer) begin(ctx context.Context) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started {
		return false
	}
	s.started = true
	if s.options.Logger == nil {
		s.logger = logr.FromContextOrDiscard(ctx)
	}
	s.codec = s.options.codec(s.example, s.transform)
	if s.transform != nil {
		s.applier.ids = &identities{m: newLookup[stamp](0)}
	}
	s.queue = NewDeltaFIFOWithOptions(DeltaFIFOOptions{
		Logger:                &s.logger,
		KnownObjects:          stored{s.indexer},
		EmitDeltaTypeReplaced: true,
		Transformer:           s.codec.transformer(s.transform),
		MaxPending:            s.options.pending(),
	})
	s.queue.unversioned, s.queue.timed = s.feeds[""] == nil, true
	s.running = ctx
	s.processor.start()
	for _, namespace := range slices.Sorted(maps.Keys(s.feeds)) {
		s.reflect(namespace, s.feeds[namespace])
	}
	if len(s.feeds) == 0 {
		_ = s.queue.Bookmark("") // there is no list to wait for
	}
	return true
}

func (o *SharedIndexInformerOptions) pending() int {
	if o.MaxPending == 0 {
		return defaultPending
	}
	return o.MaxPending
}

// contained makes of a panic, or of a result that cannot be stored, an error that concerns one object.
func contained(transform TransformFunc) TransformFunc {
	if transform == nil {
		return nil
	}
	return func(obj any) (result any, err error) {
		defer func() {
			if cause := recover(); cause != nil {
				err = fmt.Errorf("the transform panicked: %v", cause)
			}
		}()
		if result, err = transform(obj); err == nil && result == nil {
			err = errors.New("the transform returned nil")
		}
		return result, err
	}
}

// end waits for everything to end. The reflectors go first, so that nothing is queued that nobody would take.
func (s *informer) end() {
	s.set(func() { s.ending = true })
	s.reflecting.Wait()
	s.set(func() { s.stopped = true })
	s.processor.end()
}

func (s *informer) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// process applies a batch and tells of it.
func (s *informer) process(b batch) {
	defer s.metrics.processed(s.queue, time.Now())
	initial := !s.HasSynced()
	s.applier.apply(b, initial)
	s.codec.noteSize(s.indexer.table.Len())
	s.applier.lagged(b.since)
	if initial && s.listed(b.lists) {
		s.hasSynced()
	}
}

// hasSynced notes that the first lists are in the store and in the log.
func (s *informer) hasSynced() {
	s.telling.Lock()
	defer s.telling.Unlock()
	s.processor.hasSynced()
	close(s.synced)
}

// listed tells whether the lists of all feeds are among the first so many.
func (s *informer) listed(lists int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.feeds {
		if f.queue == nil || !f.queue.listedBy(lists) {
			return false
		}
	}
	return true
}

func (s *informer) HasSynced() bool { return IsDone(s) }

func (s *informer) HasSyncedChecker() DoneChecker { return s }

// Name implements DoneChecker.
func (s *informer) Name() string { return "informer of " + s.describe() }

// Done implements DoneChecker.
func (s *informer) Done() <-chan struct{} { return s.synced }

func (s *informer) log() logr.Logger {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.logger
}

func (s *informer) describe() string {
	if s.options.ObjectDescription != "" {
		return s.options.ObjectDescription
	}
	return fmt.Sprintf("%T", s.example)
}

func (s *informer) IsStopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}

func (s *informer) GetStore() Store { return s.indexer }

func (s *informer) GetIndexer() Indexer { return s.indexer }

func (s *informer) GetController() Controller { return idleController{s} }

// idleController is what GetController returns: the informer runs by itself.
type idleController struct{ *informer }

func (idleController) Run(<-chan struct{})            {}
func (idleController) RunWithContext(context.Context) {}

func (s *informer) AddIndexers(indexers Indexers) error {
	if s.IsStopped() {
		return errStopped
	}
	return s.indexer.AddIndexers(indexers)
}

func (s *informer) SetTransform(handler TransformFunc) error {
	return s.beforeStart(func() { s.transform = handler })
}

func (s *informer) SetWatchErrorHandler(handler WatchErrorHandler) error {
	return s.beforeStart(func() { s.onError = errorHandler(nil, handler) })
}

func (s *informer) SetWatchErrorHandlerWithContext(handler WatchErrorHandlerWithContext) error {
	return s.beforeStart(func() { s.onError = handler })
}

func (s *informer) beforeStart(set func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started {
		return errStarted
	}
	set()
	return nil
}

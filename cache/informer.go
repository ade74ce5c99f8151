package cache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"

	"vedette.dev/internal/fanout"
	"vedette.dev/internal/turn"
)

// informer is the engine of every informer of this package: any number of streams, each a list and a watch, bring objects to one
// store, which is divided among partitions.
//
//	stream ──▶ deltaQueue: inbox ──▶ partition: decode, apply ──▶ log: listeners ──▶ handlers
//	stream ──┘            └ inbox ──▶ partition: decode, apply ──▶ log: listeners ──▶ handlers
//	                                            └──▶ one store: each object in one partition
//
// A plain informer has one stream and one partition, a NamespacedInformer one partition and a stream for each namespace, and a
// PartitionedInformer, which package shard uses, any number of both.
//
//   - A stream reads the key and the revision of each object from its bytes, once. They travel with the object.
//   - A partition has an inbox, a goroutine that applies what is in it, a log of notifications, and a goroutine for each handler. No
//     partition waits for another, but for as long as it takes to write a batch to the store.
//   - An informer with one partition decodes in the goroutine that reads, and handlers are notified of every state of an object. With
//     several, the router looks at the metadata only, the partition decodes, and events of a key that wait are coalesced.
//   - A list is applied by the goroutine that has read it, as one batch for each partition.
//   - The changes of a key reach a handler in order, also when the key moves from one partition to another.
type informer struct {
	example runtime.Object
	options SharedIndexInformerOptions
	indexer *cache
	queue   *deltaQueue
	synced  chan struct{} // closed when the first lists are in the store and in the log
	metrics informerMetrics
	// minWatchTimeout is for the reflectors.
	minWatchTimeout time.Duration
	// only is the partition of an informer that is not divided; nil if it is divided.
	only *partition
	// versioned says that there is one stream for ever, so that its version is that of the store.
	versioned bool

	// applyMu is held from when the store is written until the notifications are in the logs, and while partitions change.
	applyMu sync.Mutex
	routes  atomic.Pointer[routes]
	// revisions has the revisions of the objects of the store, where a transform may have removed them; nil without a transform.
	revisions *revisionTable
	// left is the partitions that were removed and whose handlers have not been called for all yet.
	left          []*partition
	registrations []*registration
	// own are the logs of handlers for one partition, by its ID.
	own map[string]*fanout.Log
	// added is how many registrations there ever were.
	added int
	pins  map[string]pin
	// pinning is the partitions whose log has pins.
	pinning map[*partition]struct{}
	holds   map[string]hold
	// complete is set when the first set of partitions is complete.
	complete bool
	// indexErrors counts index functions that failed.
	indexErrors uint64
	lastError   error

	// changing is held while partitions and streams change.
	changing turn.Turn

	mu        sync.Mutex
	started   bool
	ending    bool // no stream may be added
	stopped   bool
	transform TransformFunc
	onError   WatchErrorHandlerWithContext
	streams   []*Stream
	running   context.Context
	codec     *codec
	// transforming is the transform and what the codec makes of its result; nil without a transform.
	transforming TransformFunc
	work         sync.WaitGroup // all goroutines but those of listeners
	logger       logr.Logger
}

// defaultPending is how many changes may wait for the store.
const defaultPending = 4096

var (
	errStarted = errors.New("informer has already started")
	errStopped = errors.New("informer has already stopped")
)

var (
	_ SharedIndexInformer = (*informer)(nil)
	_ StateReader         = (*informer)(nil)
)

// NewSharedIndexInformerWithOptions returns a SharedIndexInformer. It panics if the options are invalid.
func NewSharedIndexInformerWithOptions(lw ListerWatcher, exampleObject runtime.Object, options SharedIndexInformerOptions) SharedIndexInformer {
	return newPlainInformer(lw, exampleObject, options)
}

// newPlainInformer returns an informer with one stream and one partition.
func newPlainInformer(lw ListerWatcher, example runtime.Object, options SharedIndexInformerOptions) *informer {
	s := newUndividedInformer(example, options)
	s.versioned = true
	s.addStream(StreamConfig{Source: lw})
	return s
}

// newUndividedInformer returns an informer with one partition and without streams.
func newUndividedInformer(example runtime.Object, options SharedIndexInformerOptions) *informer {
	s := newInformer(example, options)
	s.only = s.newPartition(PartitionConfig{})
	s.only.inbox.keepAll = true
	s.routes.Store(&routes{partitions: map[string]*partition{"": s.only}, only: s.only})
	s.indexer = newInformerCache(options, &s.applyMu, false)
	s.metrics = newInformerMetrics(options.Identifier, options.InformerMetricsProvider)
	s.only.expecting, s.complete = false, true
	return s
}

// newInformer returns an informer without partitions and without a store. It panics if the options are invalid.
func newInformer(example runtime.Object, options SharedIndexInformerOptions) *informer {
	if err := options.validate(example); err != nil {
		panic(err)
	}
	return &informer{
		example:  example,
		options:  options,
		queue:    newDeltaQueue(),
		changing: turn.New(),
		synced:   make(chan struct{}),
		own:      map[string]*fanout.Log{},
		pins:     map[string]pin{},
		pinning:  map[*partition]struct{}{},
		holds:    map[string]hold{},
		logger:   loggerFrom(options.Logger),
	}
}

// Run is RunWithContext until the channel is closed.
func (s *informer) Run(stopCh <-chan struct{}) { s.RunWithContext(wait.ContextForChannel(stopCh)) }

// RunWithContext lists and watches until the context ends. When it returns, nothing of the informer runs any more.
func (s *informer) RunWithContext(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := s.begin(ctx); err != nil {
		s.log().Info("The informer has started already, and runs only once", "type", s.describe())
		return
	}
	<-ctx.Done()
	s.end()
}

func (s *informer) begin(ctx context.Context) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started {
		return errStarted
	}
	s.started, s.running = true, ctx
	if s.options.Logger == nil {
		s.logger = logr.FromContextOrDiscard(ctx)
	}
	s.codec = s.options.codec(s.example, s.transform)
	s.transforming = s.codec.transformer(s.transform)
	if s.transform != nil {
		s.revisions = &revisionTable{}
	}
	if d := s.options.MutationDetector; d != nil {
		s.work.Go(func() { d.Run(ctx.Done()) })
	}
	for _, p := range s.routes.Load().partitions {
		s.open(p)
	}
	for _, stream := range s.streams {
		s.start(stream)
	}
	s.noteSynced()
	return nil
}

// end waits for everything to end: streams first, then partitions, then listeners. It does not keep others from changing
// partitions meanwhile, who are told that it is too late: one of the goroutines that are waited for may be among them.
func (s *informer) end() {
	for _, stream := range s.noMore() {
		stream.halt()
	}
	s.applyMu.Lock()
	all := slices.Clone(s.left)
	for _, p := range s.routes.Load().partitions {
		all = append(all, p)
	}
	own := slices.Collect(maps.Values(s.own)) // no more come
	s.applyMu.Unlock()
	for _, p := range all {
		s.queue.end(p.inbox)
		p.cancel()
	}
	s.work.Wait()
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	for _, p := range all {
		p.shared.End()
	}
	for _, log := range own {
		log.End()
	}
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	for _, r := range s.registrations {
		r.noteLast() // also one that never had a listener
	}
}

// noMore says that nothing may be added from now on, and returns the streams.
func (s *informer) noMore() []*Stream {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ending = true
	return s.streams // which are replaced and not changed
}

// HasSynced reports whether the first lists are in the store and in the log that handlers are notified from.
func (s *informer) HasSynced() bool { return IsDone(s) }

// HasSyncedChecker returns a DoneChecker whose channel is closed when HasSynced becomes true.
func (s *informer) HasSyncedChecker() DoneChecker { return s }

// Name implements DoneChecker.
func (s *informer) Name() string { return "informer of " + s.describe() }

// Done implements DoneChecker.
func (s *informer) Done() <-chan struct{} { return s.synced }

// noteSynced closes synced when all partitions have their objects. It is called under applyMu.
func (s *informer) noteSynced() {
	if !s.complete || IsDone(s) {
		return
	}
	for _, p := range s.routes.Load().partitions {
		if !p.isSynced() {
			return
		}
	}
	close(s.synced)
	for _, r := range s.registrations {
		r.noteSynced(nil)
	}
}

func (s *informer) log() logr.Logger {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.logger
}

func (s *informer) describe() string {
	if s.options.ObjectDescription != "" {
		return s.options.ObjectDescription
	}
	return describeType(s.example)
}

// IsStopped reports whether the informer has ended.
func (s *informer) IsStopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}

func (s *informer) isEnding() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ending
}

func (s *informer) hasStarted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started
}

// GetStore returns the store, which must not be written to.
func (s *informer) GetStore() Store { return s.indexer }

// GetIndexer returns the store, which must not be written to.
func (s *informer) GetIndexer() Indexer { return s.indexer }

// GetController returns a Controller whose Run does nothing.
func (s *informer) GetController() Controller { return idleController{s} }

// idleController is what GetController returns: the informer runs by itself.
type idleController struct{ *informer }

func (idleController) Run(<-chan struct{})            {}
func (idleController) RunWithContext(context.Context) {}

// AddIndexers adds indexes, also while the informer runs.
func (s *informer) AddIndexers(indexers Indexers) error {
	if s.IsStopped() {
		return errStopped
	}
	return s.indexer.AddIndexers(indexers)
}

// SetTransform sets the function that changes each object before it is stored. In a PartitionedInformer it must keep what the
// router looks at, but for UID, namespace and name, which the informer remembers. It is an error after the start.
func (s *informer) SetTransform(handler TransformFunc) error {
	return s.beforeStart(func() { s.transform = handler })
}

// SetWatchErrorHandler sets the function that is called with each error that ends a list or watch. It is an error after the start.
func (s *informer) SetWatchErrorHandler(handler WatchErrorHandler) error {
	return s.beforeStart(func() { s.onError = errorHandler(nil, handler) })
}

// SetWatchErrorHandlerWithContext is SetWatchErrorHandler for a function that takes a context.
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

// LastSyncResourceVersion returns the version of the only stream. It is empty if there are several, which need not be equally far, or
// may be: a NamespacedInformer has none.
func (s *informer) LastSyncResourceVersion() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.streams) == 1 && s.streams[0].reflector != nil && (s.versioned || s.only == nil) {
		return s.streams[0].reflector.LastSyncResourceVersion()
	}
	return ""
}

func (o *SharedIndexInformerOptions) pending() int {
	if o.MaxPending == 0 {
		return defaultPending
	}
	return o.MaxPending
}

// contained returns a transform that returns a panic, or a result that cannot be stored, as the error of one object.
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

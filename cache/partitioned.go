package cache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"

	"vedette.dev/internal/turn"
)

// PartitionedInformer is a SharedIndexInformer whose objects are divided among partitions, and come from any number of
// streams. It is the machine under package shard, which says what the partitions and streams are; most programs use that.
//
//	stream ──▶ router ──▶ tray ──▶ decode, apply ──▶ lane: log, listeners ──▶ handlers
//	stream ──┘       └──▶ tray ──▶ decode, apply ──▶ lane: log, listeners ──▶ handlers
//	                                     └──▶ one store: each object in one partition
//
// In this picture:
//
//   - A stream is one list and watch. The router reads the envelope of each object that it brings, before anything is decoded,
//     and names the partition. What is for none is dropped.
//   - Each partition has a goroutine that decodes and applies, a log of what changed, and a goroutine for each handler.
//     Nobody waits for another partition, but for as long as it takes to write a batch to the store.
//   - There is one store for all. So an object is in one partition at a time, and readers see a move as one step.
//   - The changes of a key reach a handler in order, also when the key moves: until a lane is done with a key, what follows
//     goes through that lane.
type PartitionedInformer struct {
	example  runtime.Object
	options  SharedIndexInformerOptions
	indexer  *cache
	mailbox  *mailbox
	synced   chan struct{}
	detector MutationDetector

	// telling is held from when the store is written until the notices are in the logs, and while partitions change.
	telling sync.Mutex
	routes  atomic.Pointer[routes]
	ids     *identities // nil without a transform
	// left is the partitions that were removed and have not told all yet.
	left          []*partition
	registrations []*partitionedRegistration
	// own are the lanes of handlers for one partition, by its ID.
	own map[string]*processor
	// added is how many registrations there ever were.
	added int
	pins  map[string]pin
	// pinning is the lanes that have pins.
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
	ending    bool
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

var (
	_ SharedIndexInformer = (*PartitionedInformer)(nil)
	_ StateReader         = (*PartitionedInformer)(nil)
)

// Router says which partition an object is for, empty if none. The prefix is that of the stream it comes from. A router must
// be quick, and always give the same answer for the same envelope. It is called under a lock, and must not call the informer.
type Router func(prefix string, e *Envelope) (partition string)

// NewPartitionedInformer returns an informer without partitions. It panics if the options cannot be.
func NewPartitionedInformer(exampleObject runtime.Object, options SharedIndexInformerOptions) *PartitionedInformer {
	if err := options.validate(exampleObject); err != nil {
		panic(err)
	}
	s := &PartitionedInformer{
		example:  exampleObject,
		options:  options,
		mailbox:  newMailbox(),
		changing: turn.New(),
		synced:   make(chan struct{}),
		detector: options.MutationDetector,
		own:      map[string]*processor{},
		pins:     map[string]pin{},
		pinning:  map[*partition]struct{}{},
		holds:    map[string]hold{},
		logger:   loggerFrom(options.Logger),
	}
	store, err := newPartitionedCache(options.Indexers, &s.telling)
	if err != nil {
		panic(err)
	}
	store.open = options.opener()
	s.indexer = store
	s.routes.Store(&routes{router: func(string, *Envelope) string { return "" }, partitions: map[string]*partition{}})
	return s
}

// Run is RunWithContext until the channel is closed.
func (s *PartitionedInformer) Run(stopCh <-chan struct{}) {
	s.RunWithContext(wait.ContextForChannel(stopCh))
}

// RunWithContext lists and watches until the context ends. When it returns, nothing of the informer runs any more.
func (s *PartitionedInformer) RunWithContext(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := s.begin(ctx); err != nil {
		s.log().Info("The informer has started already, and runs only once", "type", s.describe())
		return
	}
	<-ctx.Done()
	s.end()
}

func (s *PartitionedInformer) begin(ctx context.Context) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.telling.Lock()
	defer s.telling.Unlock()
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
		s.ids = &identities{m: newLookup[stamp](0)}
	}
	if s.detector != nil {
		s.work.Go(func() { s.detector.Run(ctx.Done()) })
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

// end waits for everything to end: streams first, then those who apply, then those who tell. It does not keep others from changing
// meanwhile, who find out that it is too late: one of those that are waited for may be among them.
func (s *PartitionedInformer) end() {
	for _, stream := range s.noMore() {
		stream.halt()
	}
	s.telling.Lock()
	all := slices.Clone(s.left)
	for _, p := range s.routes.Load().partitions {
		all = append(all, p)
	}
	own := slices.Collect(maps.Values(s.own)) // no more come
	s.telling.Unlock()
	for _, p := range all {
		s.mailbox.discard(p.tray)
		p.cancel()
	}
	s.work.Wait()
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	for _, p := range all {
		p.shared.end()
	}
	for _, lane := range own {
		lane.end()
	}
}

// noMore says that nothing may be added from now on, and returns the streams.
func (s *PartitionedInformer) noMore() []*Stream {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ending = true
	return s.streams // which are replaced and not changed
}

// HasSynced tells whether the partitions of the first set have their objects in the store and on their way to the handlers.
func (s *PartitionedInformer) HasSynced() bool { return IsDone(s) }

// HasSyncedChecker is HasSynced to wait for.
func (s *PartitionedInformer) HasSyncedChecker() DoneChecker { return s }

// Name implements DoneChecker.
func (s *PartitionedInformer) Name() string { return "partitioned informer of " + s.describe() }

// Done implements DoneChecker.
func (s *PartitionedInformer) Done() <-chan struct{} { return s.synced }

// noteSynced closes synced when all partitions have their objects. It is called under telling.
func (s *PartitionedInformer) noteSynced() {
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

func (s *PartitionedInformer) log() logr.Logger {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.logger
}

func (s *PartitionedInformer) describe() string {
	if s.options.ObjectDescription != "" {
		return s.options.ObjectDescription
	}
	return describeType(s.example)
}

// IsStopped tells whether the informer has ended.
func (s *PartitionedInformer) IsStopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}

// GetStore returns the store, which is to be read only. Keys begin with the prefix of the stream that the object came from.
func (s *PartitionedInformer) GetStore() Store { return s.indexer }

// GetIndexer returns the store, which is to be read only. It has PartitionIndex beside those that were asked for.
func (s *PartitionedInformer) GetIndexer() Indexer { return s.indexer }

// GetController returns something whose Run does nothing.
func (s *PartitionedInformer) GetController() Controller { return idlePartitioned{s} }

type idlePartitioned struct{ *PartitionedInformer }

func (idlePartitioned) Run(<-chan struct{})            {}
func (idlePartitioned) RunWithContext(context.Context) {}

// AddIndexers adds indexes, also while the informer runs.
func (s *PartitionedInformer) AddIndexers(indexers Indexers) error {
	if s.IsStopped() {
		return errStopped
	}
	return s.indexer.AddIndexers(indexers)
}

// SetTransform has every object changed before it is stored. It must keep what the router looks at, but for UID, namespace
// and name, which the informer remembers. It is an error after the start.
func (s *PartitionedInformer) SetTransform(handler TransformFunc) error {
	return s.beforeStart(func() { s.transform = handler })
}

// SetWatchErrorHandler has a function called with each error that ends a list or watch. It is an error after the start.
func (s *PartitionedInformer) SetWatchErrorHandler(handler WatchErrorHandler) error {
	return s.beforeStart(func() { s.onError = errorHandler(nil, handler) })
}

// SetWatchErrorHandlerWithContext is SetWatchErrorHandler for a function that takes a context.
func (s *PartitionedInformer) SetWatchErrorHandlerWithContext(handler WatchErrorHandlerWithContext) error {
	return s.beforeStart(func() { s.onError = handler })
}

func (s *PartitionedInformer) beforeStart(set func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started {
		return errStarted
	}
	set()
	return nil
}

// LastSyncResourceVersion is that of the only stream, and empty if there are several: they need not be equally far.
func (s *PartitionedInformer) LastSyncResourceVersion() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.streams) == 1 && s.streams[0].reflector != nil {
		return s.streams[0].reflector.LastSyncResourceVersion()
	}
	return ""
}

// PartitionOf returns the partition that has the object under a key.
func (s *PartitionedInformer) PartitionOf(key string) (partition string, ok bool) {
	return s.indexer.table.Owner(key)
}

// PartitionConfig is a partition. Its limits are none where they are zero.
type PartitionConfig struct {
	ID string
	// MaxObjects is how many objects the partition may have, and MaxBytes how large they may be in all, as the server sent
	// them. What is too much is left out, which the state of the partition says, until there is room again.
	MaxObjects int
	MaxBytes   int64
	// MaxEventRate is how many changes a second are applied. Those that wait are merged by key.
	MaxEventRate float64
}

func (c *PartitionConfig) validate() error {
	switch {
	case c.ID == "":
		return errors.New("cache: PartitionConfig.ID is empty")
	case c.MaxObjects < 0:
		return fmt.Errorf("cache: PartitionConfig.MaxObjects of %q is %d, want 0 or more", c.ID, c.MaxObjects)
	case c.MaxBytes < 0:
		return fmt.Errorf("cache: PartitionConfig.MaxBytes of %q is %d, want 0 or more", c.ID, c.MaxBytes)
	case c.MaxEventRate < 0 || c.MaxEventRate != c.MaxEventRate:
		return fmt.Errorf("cache: PartitionConfig.MaxEventRate of %q is %v, want 0 or more", c.ID, c.MaxEventRate)
	}
	return nil
}

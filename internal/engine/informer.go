package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/wait"

	"vedette.dev/internal/codec"
	"vedette.dev/internal/fanout"
	"vedette.dev/internal/listwatch"
	"vedette.dev/internal/mutex"
	"vedette.dev/internal/table"
)

// Config configures an [Informer].
type Config struct {
	// Example is an object of the type that comes; nil means any. Type is what logs call the objects; empty means that of the Example.
	Example any
	Type    string
	// Table says which indexes the store has. If it has an OwnerIndex, which must be named PartitionIndex, the informer is divided.
	Table table.Config
	// NewCodec returns the codec, nil for none, and the transform that is left if the codec does what it would. It is called when the
	// informer starts, with the transform or nil.
	NewCodec func(transform func(any) (any, error)) (*codec.Codec, func(any) (any, error))
	// MaxPending is how many events may wait for the store in an inbox before a stream waits. Zero means 4096.
	MaxPending int
	// ResyncPeriod is that of handlers that do not say otherwise.
	ResyncPeriod time.Duration
	// MinWatchTimeout, Backoff and OnInconsistency are those of the reflectors.
	MinWatchTimeout time.Duration
	Backoff         *wait.Backoff
	OnInconsistency func(*listwatch.Inconsistency)
	// Logger is used in place of that of the context, if it is not nil.
	Logger *logr.Logger
	// Observe is called with each object that is not at rest before it is stored, Background runs with the informer. Both may be nil.
	Observe    func(obj any)
	Background func(stop <-chan struct{})
	// Processed is called after each batch of an informer that is not divided, with the number of events that wait. It may be nil.
	Processed func(waiting int, began time.Time)
}

// PartitionIndex is the name of the index by which the store of an informer that is divided finds the objects of a partition.
const PartitionIndex = "partition"

// Informer is the engine of every informer: any number of streams, each a list and a watch, bring objects to one
// store, which is divided among partitions.
//
//	stream ──▶ deltaQueue: inbox ──▶ partition: decode, apply ──▶ log: listeners ──▶ handlers
//	stream ──┘            └ inbox ──▶ partition: decode, apply ──▶ log: listeners ──▶ handlers
//	                                            └──▶ one store: each object in one partition
//
// A plain informer has one stream and one partition, an informer of namespaces one partition and a stream for each namespace, and that of
// package shard any number of both.
//
//   - A stream reads the key and the revision of each object from its bytes, once. They travel with the object.
//   - A partition has an inbox, a goroutine that applies what is in it, a log of notifications, and a goroutine for each handler. No
//     partition waits for another, but for as long as it takes to write a batch to the store.
//   - An informer with one partition decodes in the goroutine that reads, and handlers are notified of every state of an object. With
//     several, the router looks at the metadata only, the partition decodes, and events of a key that wait are coalesced.
//   - A list is applied by the goroutine that has read it, as one batch for each partition.
//   - The changes of a key reach a handler in order, also when the key moves from one partition to another.
type Informer struct {
	config Config
	table  *table.Table
	queue  *deltaQueue
	synced chan struct{} // closed when the first lists are in the store and in the log
	// only is the partition of an informer that is not divided; nil if it is divided.
	only *partition
	// versioned says that there is one stream, and never another, so that its version is that of the store.
	versioned bool

	// applyMu is held from when the store is written until the notifications are in the logs, and while partitions change.
	// Invariant: while it is free, the notifications of everything that is in the table are in the logs.
	applyMu sync.Mutex
	routes  atomic.Pointer[routes]
	// revisions has the revisions of the objects of the store, where a transform may have removed them; nil without a transform.
	revisions *revisionTable
	// removed has the partitions that were removed and whose handlers have not been called for everything yet.
	removed       []*partition
	registrations []*Registration
	// own are the logs of handlers for one partition, by its ID.
	own map[string]*fanout.Log
	// added is how many registrations there ever were.
	added int
	// barriers are by key, barred the partitions whose log has some.
	barriers map[string]barrier
	barred   map[*partition]struct{}
	deferred map[string]deferredDelete
	// tombstones are by key. tombstonesKept is how many the last sweep has kept, tombstonesAdded how many were added since.
	tombstones                      map[string]tombstone
	tombstonesKept, tombstonesAdded int
	// complete is set when the first set of partitions is complete.
	complete bool
	// indexErrors counts index functions that failed.
	indexErrors uint64
	lastError   error

	// changing is held while partitions and streams change.
	changing mutex.Mutex

	mu        sync.Mutex
	started   bool
	ending    bool // no stream may be added
	stopped   bool
	transform func(any) (any, error)
	onError   func(ctx context.Context, r *listwatch.Reflector, err error)
	streams   []*Stream
	halted    []*Stream // those that have stopped for a change of partitions that is being made
	running   context.Context
	codec     *codec.Codec
	// transforming is the transform and what the codec makes of its result; nil without a transform.
	transforming func(any) (any, error)
	work         sync.WaitGroup // all goroutines but those of listeners
	logger       logr.Logger
}

// defaultPending is how many changes may wait for the store.
const defaultPending = 4096

var (
	ErrStarted = errors.New("informer has already started")
	ErrStopped = errors.New("informer has already stopped")
)

// NewPlain returns an informer with one stream and one partition.
func NewPlain(config Config, source listwatch.Source) *Informer {
	s := New(config)
	s.versioned = true
	s.addStream(StreamConfig{Source: source})
	return s
}

// New returns an informer without streams. If Config.Table has an OwnerIndex it is divided, and has no partitions; else it has one.
func New(config Config) *Informer {
	if config.MaxPending == 0 {
		config.MaxPending = defaultPending
	}
	s := &Informer{
		config:     config,
		queue:      newDeltaQueue(),
		changing:   mutex.New(),
		synced:     make(chan struct{}),
		own:        map[string]*fanout.Log{},
		barriers:   map[string]barrier{},
		barred:     map[*partition]struct{}{},
		deferred:   map[string]deferredDelete{},
		tombstones: map[string]tombstone{},
	}
	if config.Logger != nil {
		s.logger = *config.Logger
	}
	config.Table.IndexMu = &s.applyMu
	s.table = table.New(config.Table)
	if config.Table.OwnerIndex != nil {
		s.routes.Store(&routes{router: func(string, *Envelope) string { return "" }, partitions: map[string]*partition{}})
		return s
	}
	s.only = s.newPartition(PartitionConfig{})
	s.only.inbox.keepAll = true
	s.routes.Store(&routes{partitions: map[string]*partition{"": s.only}, only: s.only})
	s.only.expecting, s.complete = false, true
	return s
}

// Run lists and watches until the context ends. When it returns, nothing of the informer runs any more. An informer runs once.
func (s *Informer) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := s.begin(ctx); err != nil {
		s.log().Info("The informer has started already, and runs only once", "type", s.Describe())
		return
	}
	<-ctx.Done()
	s.end()
}

func (s *Informer) begin(ctx context.Context) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started {
		return ErrStarted
	}
	s.started, s.running = true, ctx
	if s.config.Logger == nil {
		s.logger = logr.FromContextOrDiscard(ctx)
	}
	newCodec, transform := s.config.NewCodec(s.transform)
	s.codec, s.transforming = newCodec, newCodec.Transformer(transform)
	if transform != nil {
		s.revisions = &revisionTable{}
	}
	if run := s.config.Background; run != nil {
		s.work.Go(func() { run(ctx.Done()) })
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

// end waits for everything to end: streams first, then partitions, then listeners. It does not hold changing, since a goroutine that it
// waits for may be about to change partitions; Change returns an error then.
func (s *Informer) end() {
	for _, stream := range s.noMore() {
		stream.halt()
	}
	s.applyMu.Lock()
	all := slices.Clone(s.removed)
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

// noMore makes all later additions fail, and returns the streams.
func (s *Informer) noMore() []*Stream {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ending = true
	return s.streams // which are replaced and not changed
}

// Done returns a channel that is closed when the first lists are in the store and in the log that handlers are notified from.
func (s *Informer) Done() <-chan struct{} { return s.synced }

// HasSynced reports whether Done is closed.
func (s *Informer) HasSynced() bool { return isClosed(s.synced) }

// IsDivided reports whether the objects are divided among partitions.
func (s *Informer) IsDivided() bool { return s.only == nil }

// Table returns the store, which only the informer writes to.
func (s *Informer) Table() *table.Table { return s.table }

// Codec returns the codec of an informer that runs.
func (s *Informer) Codec() *codec.Codec { return s.codec }

// isClosed reports whether a channel is closed on which nothing is sent.
func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// noteSynced closes synced when all partitions have their objects. It is called under applyMu.
func (s *Informer) noteSynced() {
	if !s.complete || isClosed(s.synced) {
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

func (s *Informer) log() logr.Logger {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.logger
}

// Describe returns the name of the objects in logs.
func (s *Informer) Describe() string {
	if s.config.Type != "" {
		return s.config.Type
	}
	return listwatch.DescribeType(s.config.Example)
}

// IsStopped reports whether the informer has ended.
func (s *Informer) IsStopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}

func (s *Informer) isEnding() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ending
}

func (s *Informer) hasStarted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started
}

// SetTransform sets the function that changes each object before it is stored. If the informer is divided, it must keep what the router looks
// at, but for UID, namespace and name, which the informer remembers. It is an error after the start.
func (s *Informer) SetTransform(transform func(any) (any, error)) error {
	return s.beforeStart(func() { s.transform = transform })
}

// SetErrorHandler sets the function that is called with each error that ends a list or watch; nil means that they are logged. It is an error
// after the start.
func (s *Informer) SetErrorHandler(handler func(ctx context.Context, r *listwatch.Reflector, err error)) error {
	return s.beforeStart(func() { s.onError = handler })
}

func (s *Informer) beforeStart(set func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started {
		return ErrStarted
	}
	set()
	return nil
}

// LastSyncResourceVersion returns the version of the only stream. It is empty if there are several streams, which need not have reached the
// same version, or if there may be several, as in a NamespacedInformer.
func (s *Informer) LastSyncResourceVersion() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.streams) == 1 && s.streams[0].reflector != nil && (s.versioned || s.only == nil) {
		return s.streams[0].reflector.LastSyncResourceVersion()
	}
	return ""
}

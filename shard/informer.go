package shard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"vedette.dev/cache"
	"vedette.dev/internal/engine"
	"vedette.dev/internal/turn"
	"vedette.dev/rest"
)

// TypedShardingInformer is a SharedIndexInformer of one kind over shards that come and go.
type TypedShardingInformer[T cache.Object] struct {
	cache.TypedSharedIndexInformer[T]
	machine  machine          // the informer of all shards
	engine   *engine.Informer // of the machine
	stateOf  func(engine.State) cache.State
	config   Config[T]
	protobuf bool

	// changing is held while shards and streams change.
	changing turn.Turn
	layout   *layout
	streams  []*stream
	hashKeys map[string]HashKey // all that there ever were, by name: the covers of streams may mention them
	running  context.Context    // nil before the start
	ended    bool
	work     sync.WaitGroup
	nudge    chan struct{} // there is something to look at; has room for one
	// scopes is the streams, for StoreVersionOf; nil while they change.
	scopes atomic.Pointer[scopes]
	// shown is the layout, for callers that do not hold changing.
	shown atomic.Pointer[layout]
	count atomic.Int64 // of streams

	mu      sync.Mutex // guards what follows
	clients map[string]rest.Interface
	selects map[string]selecting // by cluster
	failure error                // of the source
	moves   uint64               // how often shards changed
}

// machine is what cache.NewDividedInformer returns.
type machine interface {
	cache.SharedIndexInformer
	cache.StateReader
	Done() <-chan struct{}
	PartitionIndexer(id string) cache.Indexer
	AddPartitionHandler(handler engine.PartitionHandler, options cache.HandlerOptions, partition string, oneAtATime bool) (cache.ResourceEventHandlerRegistration, error)
}

// ShardingInformer is a TypedShardingInformer of any objects.
type ShardingInformer = TypedShardingInformer[metav1.Object]

var _ cache.StateReader = (*ShardingInformer)(nil)

// stream is a list and watch that runs, or will when the informer does.
type stream struct {
	*streamSpec
	handle *engine.Stream
	// resumed is from where the stream began to watch; empty if it began with a list.
	resumed []progress
}

// NewShardingInformer returns an informer of objects of any type. Config.Example says which.
func NewShardingInformer(config Config[metav1.Object]) (*ShardingInformer, error) {
	return NewTypedShardingInformer(config)
}

// NewTypedShardingInformer returns an informer.
func NewTypedShardingInformer[T cache.Object](config Config[T]) (*TypedShardingInformer[T], error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	example, err := config.example()
	if err != nil {
		return nil, err
	}
	s := &TypedShardingInformer[T]{
		config:   config,
		changing: turn.New(),
		nudge:    make(chan struct{}, 1),
		hashKeys: map[string]HashKey{},
		clients:  map[string]rest.Interface{},
		selects:  map[string]selecting{},
	}
	_, s.protobuf = example.(interface{ Unmarshal([]byte) error })
	options := config.Informer
	if config.Logger != nil {
		logger := logr.FromSlogHandler(config.Logger.Handler())
		options.Logger = &logger
	}
	if options.ObjectDescription == "" {
		options.ObjectDescription = config.Resource.GroupResource().String()
	}
	divided, e, stateOf := cache.NewDividedInformer(example, options)
	s.machine, s.engine, s.stateOf = divided.(machine), e, stateOf
	s.TypedSharedIndexInformer = cache.NewTypedSharedIndexInformer[T](s.machine)
	s.layout, _ = newLayout(nil, &config.Tenant, false)
	s.publish()
	if shards, ok := config.Source.(fixed); ok {
		if err := s.SetShards(shards...); err != nil {
			return nil, err
		}
		s.engine.Complete()
	}
	return s, nil
}

// Run is RunWithContext until the channel is closed.
func (s *TypedShardingInformer[T]) Run(stopCh <-chan struct{}) {
	s.RunWithContext(wait.ContextForChannel(stopCh))
}

// RunWithContext lists and watches until the context ends. When it returns, nothing of the informer runs any more. An informer
// runs once.
func (s *TypedShardingInformer[T]) RunWithContext(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.changing.Lock()
	again := s.running != nil
	if !again {
		s.running = ctx
	}
	s.changing.Unlock()
	if again {
		s.info("The informer has started already, and runs only once")
		return
	}
	s.work.Go(func() { s.follow(ctx, cancel) })
	s.work.Go(func() { s.upkeep(ctx) })
	s.look()
	s.machine.RunWithContext(ctx)
	s.changing.Lock()
	s.ended = true // nothing is begun any more
	s.changing.Unlock()
	s.work.Wait()
}

// follow runs the source of shards.
func (s *TypedShardingInformer[T]) follow(ctx context.Context, stop func()) {
	err := s.config.Source.Run(ctx, func(shards []Shard) error {
		err := s.SetShards(shards...)
		if err == nil {
			s.engine.Complete()
		}
		s.fail(err)
		return err
	})
	if err == nil || ctx.Err() != nil {
		return
	}
	s.fail(err)
	if s.config.Logger != nil {
		s.config.Logger.Error("The source of shards has failed, and the informer ends", "resource", s.config.Resource.Resource, "err", err)
	}
	stop()
}

// fail notes that the source has emitted what cannot be, or that all is well again.
func (s *TypedShardingInformer[T]) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failure = err
}

// Err says what is wrong with the source of shards, or with the first shard of which something is; nil if all is well.
func (s *TypedShardingInformer[T]) Err() error {
	s.mu.Lock()
	err := s.failure
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("the shards of %s: %w", s.config.Resource.Resource, err)
	}
	var problems []error
	for _, shard := range s.Shards() {
		if err := shard.Err(); err != nil {
			problems = append(problems, fmt.Errorf("shard %q: %w", shard.ID, err))
		}
	}
	return errors.Join(problems...)
}

// look has upkeep look soon.
func (s *TypedShardingInformer[T]) look() {
	select {
	case s.nudge <- struct{}{}:
	default:
	}
}

// upkeep finds out what servers can do, and brings the streams in line with it.
func (s *TypedShardingInformer[T]) upkeep(ctx context.Context) {
	if s.balances() {
		s.work.Go(func() { s.balanceFirst(ctx) })
	}
	ticker := time.NewTicker(probeAgain)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.nudge:
		case <-ticker.C:
			s.forgetGuesses()
		}
		if err := s.arrange(); err != nil && ctx.Err() == nil {
			s.info("The streams could not be arranged", "err", err)
		}
	}
}

// forgetGuesses has servers probed again that have not said whether they select by hash.
func (s *TypedShardingInformer[T]) forgetGuesses() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for cluster, is := range s.selects {
		if is == selectPerhaps {
			s.selects[cluster] = selectUnknown
		}
	}
}

func (s *TypedShardingInformer[T]) info(message string, args ...any) {
	if s.config.Logger != nil {
		s.config.Logger.Info(message, append([]any{"resource", s.config.Resource.Resource}, args...)...)
	}
}

// requester is the client for a namespace of a cluster.
func (s *TypedShardingInformer[T]) requester(l *layout, cluster, namespace string) (cache.Requester, error) {
	r, err := s.findRequester(l, cluster, namespace)
	if err != nil && cluster != "" {
		err = fmt.Errorf("cluster %q: %w", cluster, err)
	}
	return r, err
}

func (s *TypedShardingInformer[T]) findRequester(l *layout, cluster, namespace string) (cache.Requester, error) {
	if s.config.Client != nil {
		r, err := s.config.Client(cluster, namespace)
		if err == nil && r == nil {
			err = errors.New("Config.Client returned nil")
		}
		return r, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	client := s.clients[cluster]
	if client == nil {
		config := s.config.REST
		if cluster != "" {
			config = l.configOf(cluster)
		}
		var err error
		if client, err = newClient(config, s.config.Resource); err != nil {
			return nil, err
		}
		s.clients[cluster] = client
	}
	return requester{client, s.config.Resource.Resource, namespace, s.protobuf}, nil
}

// configOf is how to reach a cluster.
func (l *layout) configOf(cluster string) *rest.Config {
	for _, id := range l.ids() {
		if sc := l.scopes[id]; sc.Cluster == cluster && sc.REST != nil {
			return sc.REST
		}
	}
	return nil
}

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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"vedette.dev/cache"
	"vedette.dev/internal/engine"
	"vedette.dev/internal/mutex"
	"vedette.dev/rest"
)

// TypedShardingInformer is a SharedIndexInformer of one kind whose shards can change.
type TypedShardingInformer[T cache.Object] struct {
	cache.TypedSharedIndexInformer[T]
	machine  machine          // the informer of all shards
	engine   *engine.Informer // of the machine
	stateOf  func(engine.State) cache.State
	config   Config[T]
	protobuf bool

	// changing is held while shards and streams change.
	changing mutex.Mutex
	layout   *layout
	streams  []*stream
	hashKeys map[string]HashKey // all keys used so far, by name: the covers of streams may contain them
	running  context.Context    // nil before the start
	ended    bool
	work     sync.WaitGroup
	nudge    chan struct{} // wakes upkeep; has a buffer of one
	// scopes are the streams, for StoreVersionOf; nil while they change.
	scopes atomic.Pointer[scopes]
	// shown is the layout, for callers that do not hold changing.
	shown atomic.Pointer[layout]
	count atomic.Int64 // of streams

	mu      sync.Mutex // guards the fields below
	clients map[string]rest.Interface
	selects map[string]selecting // by cluster
	failure error                // of the source
	moves   uint64               // number of changes of the shards
}

// machine is implemented by the result of cache.NewDividedInformer.
type machine interface {
	cache.SharedIndexInformer
	cache.StateReader
	Done() <-chan struct{}
	PartitionIndexer(id string) cache.Indexer
	AddPartitionHandler(handler engine.PartitionHandler, options cache.HandlerOptions, partition string, oneAtATime bool) (cache.ResourceEventHandlerRegistration, error)
}

// ShardingInformer is a [TypedShardingInformer] of any objects.
type ShardingInformer = TypedShardingInformer[metav1.Object]

var _ cache.StateReader = (*ShardingInformer)(nil)

// stream is a list and watch that is running, or will be when the informer is.
type stream struct {
	*streamSpec
	handle *engine.Stream
	// resumed is where the stream started to watch; empty if it started with a list.
	resumed []progress
}

// NewShardingInformer returns an informer of objects of any type, which is that of Config.Example.
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
		changing: mutex.New(),
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

// Resource returns the resource of the informer.
func (s *TypedShardingInformer[T]) Resource() schema.GroupVersionResource { return s.config.Resource }

// Run is RunWithContext until the channel is closed.
func (s *TypedShardingInformer[T]) Run(stopCh <-chan struct{}) {
	s.RunWithContext(wait.ContextForChannel(stopCh))
}

// RunWithContext lists and watches until the context ends. When it returns, no goroutine of the informer is left. An
// informer can be run only once.
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
		s.info("Informer was already started, ignoring another Run")
		return
	}
	s.work.Go(func() { s.follow(ctx, cancel) })
	s.work.Go(func() { s.upkeep(ctx) })
	s.look()
	s.machine.RunWithContext(ctx)
	s.changing.Lock()
	s.ended = true // nothing is started any more
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
		s.config.Logger.Error("Source of shards failed, stopping the informer", "resource", s.config.Resource.Resource, "err", err)
	}
	stop()
}

// fail records that the source has emitted invalid shards, or resets that.
func (s *TypedShardingInformer[T]) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failure = err
}

// Err returns the error of the source of shards, or that of the first failing shard; nil if there is none.
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

// look wakes upkeep.
func (s *TypedShardingInformer[T]) look() {
	select {
	case s.nudge <- struct{}{}:
	default:
	}
}

// upkeep probes servers, and adapts the streams to the results.
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
			s.info("Failed to arrange streams", "err", err)
		}
	}
}

// forgetGuesses probes servers again whose probe had no result.
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

// requester returns the client for a namespace of a cluster.
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

// configOf returns the client configuration of a cluster.
func (l *layout) configOf(cluster string) *rest.Config {
	for _, id := range l.ids() {
		if sc := l.scopes[id]; sc.Cluster == cluster && sc.REST != nil {
			return sc.REST
		}
	}
	return nil
}

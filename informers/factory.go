package informers

import (
	"context"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/cache"
	"vedette.dev/informers/internalinterfaces"
	"vedette.dev/informers/pool"
	"vedette.dev/kubernetes"
)

// SharedInformerFactory shares one informer for each kind. All factories of this package are a *Factory.
type SharedInformerFactory interface {
	internalinterfaces.SharedInformerFactory
	// StartWithContext starts the informers that were requested since it was last called, and does not wait. They run
	// until the context ends.
	StartWithContext(ctx context.Context)
	// Shutdown prevents further starts, and waits until the contexts with which informers were started have ended, and
	// the informers too. It may be called again, and concurrently.
	Shutdown()
	// WaitForCacheSync is WaitForCacheSyncWithContext until a channel is closed.
	WaitForCacheSync(stopCh <-chan struct{}) map[reflect.Type]bool
	// WaitForCacheSyncWithContext waits until all informers that were started have synced, or until the context ends.
	WaitForCacheSyncWithContext(ctx context.Context) cache.SyncResult
	// ForResource returns the informer of a built-in resource. It is an error if there is none.
	ForResource(resource schema.GroupVersionResource) (GenericInformer, error)
	Groups
}

// Factory is a SharedInformerFactory with more methods. It is safe for concurrent use.
type Factory struct {
	// Pool has the informers by the type of the pointer to an object. Its Start, StartWithContext, Shutdown, WaitForCacheSync,
	// Release, State, HealthCheck, Namespaces and SetNamespaces are those of the factory.
	*pool.Pool[reflect.Type]
	config *Config
}

var (
	_ SharedInformerFactory         = (*Factory)(nil)
	_ internalinterfaces.Configurer = (*Factory)(nil)
)

// New returns a factory.
func New(config Config) (*Factory, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	p, err := pool.New[reflect.Type](pool.Config{Namespaces: config.Namespaces})
	if err != nil {
		return nil, err
	}
	return &Factory{Pool: p, config: &config}, nil
}

// NewSharedInformerFactory returns a factory for all namespaces.
func NewSharedInformerFactory(client kubernetes.Interface, defaultResync time.Duration) SharedInformerFactory {
	return NewSharedInformerFactoryWithOptions(client, defaultResync)
}

// NewFilteredSharedInformerFactory returns a factory for one namespace, or for all, with a function that modifies the
// options of each list and watch.
//
// Deprecated: use NewSharedInformerFactoryWithOptions.
func NewFilteredSharedInformerFactory(client kubernetes.Interface, defaultResync time.Duration, namespace string, tweakListOptions internalinterfaces.TweakListOptionsFunc) SharedInformerFactory {
	return NewSharedInformerFactoryWithOptions(client, defaultResync, WithNamespace(namespace), WithTweakListOptions(tweakListOptions))
}

// NewSharedInformerFactoryWithOptions returns a factory with options. New takes a struct, and has more options.
func NewSharedInformerFactoryWithOptions(client kubernetes.Interface, defaultResync time.Duration, options ...SharedInformerOption) SharedInformerFactory {
	config := Config{Client: client, Resync: defaultResync}
	for _, option := range options {
		option(&config)
	}
	p, err := pool.New[reflect.Type](pool.Config{})
	if err != nil {
		panic(err) // the config is valid
	}
	return &Factory{Pool: p, config: &config}
}

// Lease returns a factory that shares its informers with this one, and can release them by itself: see Release.
func (f *Factory) Lease() *Factory { return &Factory{Pool: f.Pool.Lease(), config: f.config} }

// Drop releases one informer, that for the type of obj. If it has no other holder, it stops and is removed: a later
// request creates a new one. Drop waits for it, or until the context ends, whose error it then returns.
func (f *Factory) Drop(ctx context.Context, obj runtime.Object) error {
	return f.Pool.Drop(ctx, reflect.TypeOf(obj))
}

// Shutdown prevents further starts, and waits until the contexts with which informers were started have ended, and the
// informers too. A lease waits only for what it started; see pool.Pool.Shutdown.
func (f *Factory) Shutdown() {
	f.Pool.Shutdown()
	if !f.IsLease() {
		f.config.Name.Release()
	}
}

// WaitForCacheSyncWithContext waits until all informers that were started have synced, or until the context ends.
func (f *Factory) WaitForCacheSyncWithContext(ctx context.Context) cache.SyncResult {
	synced, err := f.Wait(ctx)
	return cache.SyncResult{Err: err, Synced: synced}
}

// InformerName returns the name of the informers in metrics. It may be nil.
func (f *Factory) InformerName() *cache.InformerName { return f.config.Name }

// InformerFor returns the informer for the type of obj, which newFunc creates if there is none yet. The transform of
// the factory is then set.
func (f *Factory) InformerFor(obj runtime.Object, newFunc internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	t := reflect.TypeOf(obj)
	return f.Get(t, func() cache.SharedIndexInformer {
		informer := newFunc(f.config.Client, f.config.resync(t))
		f.config.setTransform(informer)
		return informer
	})
}

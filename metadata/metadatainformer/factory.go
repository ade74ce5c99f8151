package metadatainformer

import (
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/cache"
	"vedette.dev/informers/pool"
	"vedette.dev/metadata"
)

// SharedInformerFactory shares one informer for each resource. All factories of this package are a *Factory.
type SharedInformerFactory interface {
	// Start starts the informers that were requested since it was last called, and does not wait. They run until the
	// channel is closed.
	Start(stopCh <-chan struct{})
	// ForResource returns the informer of a resource, which the next Start starts.
	ForResource(gvr schema.GroupVersionResource) pool.GenericInformer
	// WaitForCacheSync waits until all informers that were started have synced, or until the channel is closed.
	WaitForCacheSync(stopCh <-chan struct{}) map[schema.GroupVersionResource]bool
	// Shutdown prevents further starts, and waits until the channels with which informers were started are closed, and
	// the informers have ended. It may be called again, and concurrently.
	Shutdown()
}

// Factory is a SharedInformerFactory with more methods.
type Factory = pool.Resources

var _ SharedInformerFactory = (*Factory)(nil)

// TweakListOptionsFunc modifies the options of each list and watch, for example to select by labels.
type TweakListOptionsFunc func(*metav1.ListOptions)

// Config configures a factory. Only Client is required.
type Config struct {
	// Client reads from the server.
	Client metadata.Interface
	// Resync is the resync period of handlers. Zero means never.
	Resync time.Duration
	// Namespaces are the namespaces to watch. Nil means all, permanently; otherwise SetNamespaces can change it, and
	// only namespaced resources can be watched.
	Namespaces []string
	// TweakListOptions modifies the options of each list and watch. It may be nil.
	TweakListOptions TweakListOptionsFunc
	// Transform transforms every object before it is stored. It may be nil.
	Transform cache.TransformFunc
	// Informers has other options of each informer. ResyncPeriod, Indexers and ObjectDescription are ignored.
	Informers cache.SharedIndexInformerOptions
	// StorageOf configures the storage of some resources, in place of Informers.Storage.
	StorageOf map[schema.GroupVersionResource]cache.Storage

	// namespace is the only namespace, permanently.
	namespace string
}

// SharedInformerOption is an option of NewSharedInformerFactoryWithOptions.
type SharedInformerOption func(*Config)

// WithTransform transforms every object before it is stored.
func WithTransform(transform cache.TransformFunc) SharedInformerOption {
	return func(c *Config) { c.Transform = transform }
}

// New returns a factory.
func New(config Config) (*Factory, error) {
	if config.Client == nil {
		return nil, errors.New("metadatainformer: Config.Client is nil")
	}
	return pool.NewResources(pool.ResourcesConfig{
		Source: func(resource schema.GroupVersionResource, namespace string) cache.ListerWatcher {
			return source(config.Client, resource, namespace, config.TweakListOptions)
		},
		Example:    &metav1.PartialObjectMetadata{},
		Resync:     config.Resync,
		Namespace:  config.namespace,
		Namespaces: config.Namespaces,
		Transform:  config.Transform,
		Informers:  config.Informers,
		StorageOf:  config.StorageOf,
	})
}

// NewSharedInformerFactory returns a factory for all namespaces.
func NewSharedInformerFactory(client metadata.Interface, defaultResync time.Duration) SharedInformerFactory {
	return NewFilteredSharedInformerFactory(client, defaultResync, metav1.NamespaceAll, nil)
}

// NewFilteredSharedInformerFactory returns a factory for one namespace, or for all, with a function that modifies the
// options of each list and watch. It panics if the client is nil; New returns an error.
func NewFilteredSharedInformerFactory(client metadata.Interface, defaultResync time.Duration, namespace string, tweakListOptions TweakListOptionsFunc) SharedInformerFactory {
	return must(New(Config{Client: client, Resync: max(0, defaultResync), namespace: namespace, TweakListOptions: tweakListOptions}))
}

// NewSharedInformerFactoryWithOptions returns a factory for all namespaces, with options. It panics if the client is
// nil. New takes a struct, has more options, and returns an error.
func NewSharedInformerFactoryWithOptions(client metadata.Interface, defaultResync time.Duration, options ...SharedInformerOption) SharedInformerFactory {
	config := Config{Client: client, Resync: max(0, defaultResync)}
	for _, option := range options {
		option(&config)
	}
	return must(New(config))
}

func must(factory *Factory, err error) *Factory {
	if err != nil {
		panic(err)
	}
	return factory
}

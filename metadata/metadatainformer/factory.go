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

// SharedInformerFactory shares one informer for each resource. All that this package makes are a *Factory.
type SharedInformerFactory interface {
	// Start starts the informers that were asked for since it was last called, and does not wait. They run until the channel
	// is closed.
	Start(stopCh <-chan struct{})
	// ForResource returns the informer of a resource, and has it started at the next start.
	ForResource(gvr schema.GroupVersionResource) pool.GenericInformer
	// WaitForCacheSync waits until all informers that were started have synced, or until the channel is closed.
	WaitForCacheSync(stopCh <-chan struct{}) map[schema.GroupVersionResource]bool
	// Shutdown refuses all further starts, and waits until the channels are closed with which informers were started, and the
	// informers have ended. It may be called again, and at the same time.
	Shutdown()
}

// Factory is a SharedInformerFactory with a longer life.
type Factory = pool.Resources

var _ SharedInformerFactory = (*Factory)(nil)

// TweakListOptionsFunc changes the options of each list and watch, for example to select by labels.
type TweakListOptionsFunc func(*metav1.ListOptions)

// Config says how the informers of a factory are to be. Only Client is needed.
type Config struct {
	// Client reads from the server.
	Client metadata.Interface
	// Resync is how often handlers are told of all objects again. Zero means never.
	Resync time.Duration
	// Namespaces are those to look at. Nil means all, for ever; otherwise SetNamespaces can change it, and only resources that
	// live in namespaces can be looked at.
	Namespaces []string
	// TweakListOptions changes the options of each list and watch. It may be nil.
	TweakListOptions TweakListOptionsFunc
	// Transform changes every object before it is stored. It may be nil.
	Transform cache.TransformFunc
	// Informers is what else there is to say about each informer. ResyncPeriod, Indexers and ObjectDescription are ignored.
	Informers cache.SharedIndexInformerOptions
	// StorageOf is how objects of some resources are kept, in place of Informers.Storage.
	StorageOf map[schema.GroupVersionResource]cache.Storage

	// namespace is one, for ever.
	namespace string
}

// SharedInformerOption is one of the things that NewSharedInformerFactoryWithOptions can be told.
type SharedInformerOption func(*Config)

// WithTransform has every object changed before it is stored.
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

// NewFilteredSharedInformerFactory returns a factory for one namespace, or for all, with a function that changes the options
// of each list and watch. It panics if the client is nil; New returns an error.
func NewFilteredSharedInformerFactory(client metadata.Interface, defaultResync time.Duration, namespace string, tweakListOptions TweakListOptionsFunc) SharedInformerFactory {
	return must(New(Config{Client: client, Resync: max(0, defaultResync), namespace: namespace, TweakListOptions: tweakListOptions}))
}

// NewSharedInformerFactoryWithOptions returns a factory for all namespaces, with options. It panics if the client is nil. New
// takes the options as a struct, can be told more, and returns an error.
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

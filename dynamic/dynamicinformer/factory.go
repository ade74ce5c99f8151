package dynamicinformer

import (
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/cache"
	"vedette.dev/dynamic"
	"vedette.dev/informers/pool"
)

// DynamicSharedInformerFactory shares one informer for each resource. All that this package makes are a *Factory.
type DynamicSharedInformerFactory interface {
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

// Factory is a DynamicSharedInformerFactory with a longer life.
type Factory = pool.Resources

var _ DynamicSharedInformerFactory = (*Factory)(nil)

// TweakListOptionsFunc changes the options of each list and watch, for example to select by labels.
type TweakListOptionsFunc func(*metav1.ListOptions)

// Config says how the informers of a factory are to be. Only Client is needed.
type Config struct {
	// Client reads from the server.
	Client dynamic.Interface
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

// New returns a factory.
func New(config Config) (*Factory, error) {
	if config.Client == nil {
		return nil, errors.New("dynamicinformer: Config.Client is nil")
	}
	return pool.NewResources(pool.ResourcesConfig{
		Source: func(resource schema.GroupVersionResource, namespace string) cache.ListerWatcher {
			return source(config.Client, resource, namespace, config.TweakListOptions)
		},
		Example:    &unstructured.Unstructured{},
		Resync:     config.Resync,
		Namespace:  config.namespace,
		Namespaces: config.Namespaces,
		Transform:  config.Transform,
		Informers:  config.Informers,
		StorageOf:  config.StorageOf,
	})
}

// NewDynamicSharedInformerFactory returns a factory for all namespaces.
func NewDynamicSharedInformerFactory(client dynamic.Interface, defaultResync time.Duration) DynamicSharedInformerFactory {
	return NewFilteredDynamicSharedInformerFactory(client, defaultResync, metav1.NamespaceAll, nil)
}

// NewFilteredDynamicSharedInformerFactory returns a factory for one namespace, or for all, with a function that changes the
// options of each list and watch. It panics if the client is nil; New returns an error.
func NewFilteredDynamicSharedInformerFactory(client dynamic.Interface, defaultResync time.Duration, namespace string, tweakListOptions TweakListOptionsFunc) DynamicSharedInformerFactory {
	factory, err := New(Config{Client: client, Resync: max(0, defaultResync), namespace: namespace, TweakListOptions: tweakListOptions})
	if err != nil {
		panic(err)
	}
	return factory
}

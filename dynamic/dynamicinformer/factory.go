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

// DynamicSharedInformerFactory shares one informer for each resource. All factories of this package are a *Factory.
type DynamicSharedInformerFactory interface {
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

// Factory is a DynamicSharedInformerFactory with more methods.
type Factory = pool.Resources

var _ DynamicSharedInformerFactory = (*Factory)(nil)

// TweakListOptionsFunc modifies the options of each list and watch, for example to select by labels.
type TweakListOptionsFunc func(*metav1.ListOptions)

// Config configures a factory. Only Client is required.
type Config struct {
	// Client reads from the server.
	Client dynamic.Interface
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

// NewFilteredDynamicSharedInformerFactory returns a factory for one namespace, or for all, with a function that
// modifies the options of each list and watch. It panics if the client is nil; New returns an error.
func NewFilteredDynamicSharedInformerFactory(client dynamic.Interface, defaultResync time.Duration, namespace string, tweakListOptions TweakListOptionsFunc) DynamicSharedInformerFactory {
	factory, err := New(Config{Client: client, Resync: max(0, defaultResync), namespace: namespace, TweakListOptions: tweakListOptions})
	if err != nil {
		panic(err)
	}
	return factory
}

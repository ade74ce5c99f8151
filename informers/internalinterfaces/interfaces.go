package internalinterfaces

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/cache"
	"vedette.dev/kubernetes"
)

// NewInformerFunc creates an informer, with a client and a resync period.
type NewInformerFunc func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer

// SharedInformerFactory is the part of a factory that the packages of informers need.
type SharedInformerFactory interface {
	// Start starts the informers that were requested since it was last called.
	Start(stopCh <-chan struct{})
	// InformerFor returns the informer for the type of obj, which newFunc creates if there is none yet.
	InformerFor(obj runtime.Object, newFunc NewInformerFunc) cache.SharedIndexInformer
	// InformerName returns the name of the informers in metrics. It may be nil.
	InformerName() *cache.InformerName
}

// Configurer is a SharedInformerFactory with more options for its informers. It is not in client-go.
type Configurer interface {
	// Configure modifies the options of an informer that is about to be created, for objects such as the example.
	Configure(example runtime.Object, options *InformerOptions)
}

// TweakListOptionsFunc modifies the options of each list and watch, for example to select by labels.
type TweakListOptionsFunc func(*metav1.ListOptions)

// InformerOptions configures an informer. The zero value works.
type InformerOptions struct {
	// ResyncPeriod is the resync period of handlers. Zero means never.
	ResyncPeriod time.Duration
	// Indexers are the initial indexes.
	Indexers cache.Indexers
	// InformerName is the name of the informer in metrics. Nil means no metrics.
	InformerName *cache.InformerName
	// TweakListOptions modifies the options of each list and watch. It may be nil.
	TweakListOptions TweakListOptionsFunc

	// The fields below are not in client-go.

	// Namespaces, if not nil, are the namespaces to watch, instead of one or all of them. The informer is then a
	// cache.NamespacedInformer. Cluster-scoped kinds are watched in any case.
	Namespaces []string
	// Cache has other options. Its ResyncPeriod, Indexers and Identifier are ignored, because they are above.
	Cache cache.SharedIndexInformerOptions
}

// Options returns the options of the functions with many parameters.
func Options(resyncPeriod time.Duration, indexers cache.Indexers, tweak TweakListOptionsFunc) InformerOptions {
	return InformerOptions{ResyncPeriod: resyncPeriod, Indexers: indexers, TweakListOptions: tweak}
}

// TypedOptions is Options with typed indexers.
func TypedOptions[T any](resyncPeriod time.Duration, indexers cache.TypedIndexers[T], tweak TweakListOptionsFunc) InformerOptions {
	return Options(resyncPeriod, cache.TypedIndexersToIndexers(indexers), tweak)
}

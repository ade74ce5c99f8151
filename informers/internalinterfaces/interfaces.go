package internalinterfaces

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/cache"
	"vedette.dev/kubernetes"
)

// NewInformerFunc makes an informer, with a client and a resync period.
type NewInformerFunc func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer

// SharedInformerFactory is what the packages of informers need of a factory.
type SharedInformerFactory interface {
	// Start starts the informers that were asked for since it was last called.
	Start(stopCh <-chan struct{})
	// InformerFor returns the informer for the type of obj, which newFunc makes if there is none yet.
	InformerFor(obj runtime.Object, newFunc NewInformerFunc) cache.SharedIndexInformer
	// InformerName is the name under which the informers are counted. It may be nil.
	InformerName() *cache.InformerName
}

// Configurer is a SharedInformerFactory that has more to say about how its informers are to be made. It is not in
// client-go.
type Configurer interface {
	// Configure changes the options of an informer that is about to be made, for objects such as the example.
	Configure(example runtime.Object, options *InformerOptions)
}

// TweakListOptionsFunc changes the options of each list and watch, for example to select by labels.
type TweakListOptionsFunc func(*metav1.ListOptions)

// InformerOptions configures an informer. The zero value works.
type InformerOptions struct {
	// ResyncPeriod is how often handlers are told of all objects again. Zero means never.
	ResyncPeriod time.Duration
	// Indexers are the indexes to begin with.
	Indexers cache.Indexers
	// InformerName is the name under which the informer is counted. Nil means that it is not.
	InformerName *cache.InformerName
	// TweakListOptions changes the options of each list and watch. It may be nil.
	TweakListOptions TweakListOptionsFunc

	// What follows is not in client-go.

	// Namespaces, if it is not nil, are the namespaces to look at, instead of one or all of them. The informer is then a
	// cache.NamespacedInformer. Kinds that live in no namespace are looked at all the same.
	Namespaces []string
	// Cache is what else there is to say. Its ResyncPeriod, Indexers and Identifier are ignored, for they are above.
	Cache cache.SharedIndexInformerOptions
}

// Options are those that the functions with many parameters take.
func Options(resyncPeriod time.Duration, indexers cache.Indexers, tweak TweakListOptionsFunc) InformerOptions {
	return InformerOptions{ResyncPeriod: resyncPeriod, Indexers: indexers, TweakListOptions: tweak}
}

// TypedOptions is Options with typed indexers.
func TypedOptions[T any](resyncPeriod time.Duration, indexers cache.TypedIndexers[T], tweak TweakListOptionsFunc) InformerOptions {
	return Options(resyncPeriod, cache.TypedIndexersToIndexers(indexers), tweak)
}

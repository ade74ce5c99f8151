package internalinterfaces

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/cache"
	"vedette.dev/kubernetes"
)

// Informer is the shared informer of a kind, and a lister that reads from it.
//
// It is an alias, as are TypedInformer and Client: for a generic type that is not, the compiler generates the methods
// again in every package that mentions a factory.
type Informer[L any] = interface {
	// Informer returns the informer, which the next start of the factory starts.
	Informer() cache.SharedIndexInformer
	// Lister returns a lister of the informer's objects.
	Lister() L
}

// TypedInformer is an Informer that has a typed form.
type TypedInformer[I, L any] = interface {
	// Informer returns the informer, which the next start of the factory starts.
	Informer() cache.SharedIndexInformer
	// TypedInformer is Informer in the typed form.
	TypedInformer() I
	// Lister returns a lister of the informer's objects.
	Lister() L
}

// Scope is a factory, and the objects that its informers watch.
type Scope struct {
	Factory          SharedInformerFactory
	Namespace        string
	TweakListOptions TweakListOptionsFunc
}

// Share returns the informer of a kind in a factory. newInformer creates it on the first request.
func Share[P Object, I cache.SharedIndexInformer, L any](s Scope, example P, newInformer func(kubernetes.Interface, string, InformerOptions) I, newLister func(cache.Indexer) L) TypedInformer[I, L] {
	return &shared[P, I, L]{s, example, newInformer, newLister}
}

// ShareCluster is like Share, for a cluster-scoped kind.
func ShareCluster[P Object, I cache.SharedIndexInformer, L any](s Scope, example P, newInformer func(kubernetes.Interface, InformerOptions) I, newLister func(cache.Indexer) L) TypedInformer[I, L] {
	return Share(s, example, func(client kubernetes.Interface, _ string, options InformerOptions) I {
		return newInformer(client, options)
	}, newLister)
}

type shared[P Object, I cache.SharedIndexInformer, L any] struct {
	Scope
	example     P
	newInformer func(kubernetes.Interface, string, InformerOptions) I
	newLister   func(cache.Indexer) L
}

func (s *shared[P, I, L]) Informer() cache.SharedIndexInformer {
	return s.Factory.InformerFor(s.example, func(client kubernetes.Interface, resyncPeriod time.Duration) cache.SharedIndexInformer {
		return s.newInformer(client, s.Namespace, s.options(s.example, resyncPeriod))
	})
}

func (s *shared[P, I, L]) TypedInformer() I { return ToIndex[P, I](s.Informer()) }

func (s *shared[P, I, L]) Lister() L { return s.newLister(s.Informer().GetIndexer()) }

// options returns the options of an informer of the factory.
func (s Scope) options(example runtime.Object, resyncPeriod time.Duration) InformerOptions {
	options := Options(resyncPeriod, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}, s.TweakListOptions)
	options.InformerName = s.Factory.InformerName()
	if c, ok := s.Factory.(Configurer); ok {
		c.Configure(example, &options)
	}
	return options
}

// ToTyped returns the typed form of an informer, whose objects must all be of type P.
func ToTyped[P Object, I, L any](informer Informer[L]) TypedInformer[I, L] {
	if typed, ok := informer.(TypedInformer[I, L]); ok {
		return typed
	}
	return &adapted[P, I, L]{informer}
}

type adapted[P Object, I, L any] struct{ untyped Informer[L] }

func (a *adapted[P, I, L]) Informer() cache.SharedIndexInformer { return a.untyped.Informer() }

func (a *adapted[P, I, L]) TypedInformer() I { return ToIndex[P, I](a.Informer()) }

func (a *adapted[P, I, L]) Lister() L { return a.untyped.Lister() }

// ToIndex returns the typed form of an informer, whose objects must all be of type P. I is a name for the interface
// cache.TypedSharedIndexInformer[P].
func ToIndex[P Object, I any](informer cache.SharedIndexInformer) I {
	if typed, ok := informer.(I); ok {
		return typed
	}
	return any(cache.NewTypedSharedIndexInformer[P](informer)).(I)
}

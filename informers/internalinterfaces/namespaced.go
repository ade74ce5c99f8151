package internalinterfaces

import "vedette.dev/cache"

// namespaced is the typed form of a cache.NamespacedInformer, and one itself, so that a factory can change its namespaces.
type namespaced[P Object] struct {
	cache.TypedSharedIndexInformer[P]
	informer cache.NamespacedInformer
}

func newNamespaced[P Object](informer cache.NamespacedInformer) cache.TypedSharedIndexInformer[P] {
	return namespaced[P]{cache.NewTypedSharedIndexInformer[P](informer), informer}
}

func (n namespaced[P]) SetNamespaces(namespaces ...string) error {
	return n.informer.SetNamespaces(namespaces...)
}

func (n namespaced[P]) Namespaces() []string { return n.informer.Namespaces() }

func (n namespaced[P]) StoreVersion(namespace string) string {
	return n.informer.StoreVersion(namespace)
}

// State returns what the informer is doing.
func (n namespaced[P]) State() cache.State { return cache.StateOf(n.informer) }

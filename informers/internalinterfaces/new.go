package internalinterfaces

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/cache"
	"vedette.dev/informers/pool"
)

// Client is the part of a kind's client that an informer needs. List is the type of its lists.
type Client[List any] = interface {
	List(ctx context.Context, opts metav1.ListOptions) (*List, error)
	Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error)
}

// Object is a pointer to an API object.
type Object interface {
	cache.Object
	runtime.Object
}

// New returns an informer of a namespaced kind. The client reports whether it supports streaming lists, and in returns
// the client of the kind for one namespace, or for all.
func New[P Object, List any](client any, resource schema.GroupVersionResource, example P, namespace string, options InformerOptions, in func(namespace string) Client[List]) cache.TypedSharedIndexInformer[P] {
	listWatch := func(namespace string) cache.ListerWatcher {
		return listWatch(client, in(namespace), options.TweakListOptions)
	}
	if options.Namespaces != nil {
		return newNamespaced[P](cache.NewNamespacedInformer(listWatch, example, options.Namespaces, options.forCache(resource)))
	}
	return cache.NewTypedSharedIndexInformer[P](
		cache.NewSharedIndexInformerWithOptions(listWatch(namespace), example, options.forCache(resource)))
}

// NewCluster is like New, for a cluster-scoped kind.
func NewCluster[P Object, List any](client any, resource schema.GroupVersionResource, example P, options InformerOptions, in func() Client[List]) cache.TypedSharedIndexInformer[P] {
	return cache.NewTypedSharedIndexInformer[P](cache.NewSharedIndexInformerWithOptions(
		listWatch(client, in(), options.TweakListOptions), example, options.forCache(resource)))
}

// forCache returns the options for package cache.
func (o InformerOptions) forCache(resource schema.GroupVersionResource) cache.SharedIndexInformerOptions {
	options := o.Cache
	options.ResyncPeriod = o.ResyncPeriod
	options.Indexers = o.Indexers
	options.Identifier = o.InformerName.WithResource(resource)
	return options
}

// listWatch returns a source that reads lists and watches as streams if the client of the kind is a Requester. Test
// clients may not be.
func listWatch[List any](client any, of Client[List], tweak TweakListOptionsFunc) cache.ListerWatcher {
	if requester, ok := of.(cache.Requester); ok {
		return cache.NewListWatchFromRequester(requester, nil, tweak)
	}
	list := func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		found, err := of.List(ctx, options)
		if err != nil {
			return nil, err
		}
		return any(found).(runtime.Object), nil
	}
	return pool.PlainListWatch(client, list, of.Watch, tweak)
}

package metadatainformer

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/cache"
	"vedette.dev/informers/pool"
	"vedette.dev/metadata"
)

// NewFilteredMetadataInformer returns an informer of a resource that is not shared, for one namespace or for all.
func NewFilteredMetadataInformer(client metadata.Interface, gvr schema.GroupVersionResource, namespace string, resyncPeriod time.Duration, indexers cache.Indexers, tweakListOptions TweakListOptionsFunc) pool.GenericInformer {
	informer := cache.NewSharedIndexInformerWithOptions(source(client, gvr, namespace, tweakListOptions), &metav1.PartialObjectMetadata{},
		cache.SharedIndexInformerOptions{ResyncPeriod: resyncPeriod, Indexers: indexers, ObjectDescription: gvr.String()})
	return pool.NewGenericInformer(informer, gvr.GroupResource())
}

// source returns a source that reads lists and watches as streams if the client is a Requester. Test clients may not
// be.
func source(client metadata.Interface, gvr schema.GroupVersionResource, namespace string, tweak TweakListOptionsFunc) cache.ListerWatcher {
	of := client.Resource(gvr).Namespace(namespace)
	if requester, ok := of.(cache.Requester); ok {
		return cache.NewListWatchFromRequester(requester, func() metav1.Object { return &metav1.PartialObjectMetadata{} }, tweak)
	}
	return pool.PlainListWatch(client,
		func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return of.List(ctx, options)
		},
		func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return of.Watch(ctx, options)
		},
		tweak)
}

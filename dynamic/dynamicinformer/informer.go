package dynamicinformer

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/cache"
	"vedette.dev/dynamic"
	"vedette.dev/informers/pool"
)

// NewFilteredDynamicInformer returns an informer of a resource that is not shared, for one namespace or for all.
func NewFilteredDynamicInformer(client dynamic.Interface, gvr schema.GroupVersionResource, namespace string, resyncPeriod time.Duration, indexers cache.Indexers, tweakListOptions TweakListOptionsFunc) pool.GenericInformer {
	informer := cache.NewSharedIndexInformerWithOptions(source(client, gvr, namespace, tweakListOptions), &unstructured.Unstructured{},
		cache.SharedIndexInformerOptions{ResyncPeriod: resyncPeriod, Indexers: indexers, ObjectDescription: gvr.String()})
	return pool.NewGenericInformer(informer, gvr.GroupResource())
}

// source returns a source that reads lists and watches as streams if the client is a Requester. Test clients may not
// be.
func source(client dynamic.Interface, gvr schema.GroupVersionResource, namespace string, tweak TweakListOptionsFunc) cache.ListerWatcher {
	of := client.Resource(gvr).Namespace(namespace)
	if requester, ok := of.(cache.Requester); ok {
		return cache.NewListWatchFromRequester(requester, func() metav1.Object { return &unstructured.Unstructured{} }, tweak)
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

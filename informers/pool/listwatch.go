package pool

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/cache"
)

// PlainListWatch returns a source for informers whose client is not a Requester, such as test clients. The client
// reports whether it supports streaming lists. tweak modifies the options, and may be nil.
func PlainListWatch(client any, list cache.ListWithContextFunc, watching cache.WatchFuncWithContext, tweak func(*metav1.ListOptions)) cache.ListerWatcher {
	if tweak == nil {
		tweak = func(*metav1.ListOptions) {}
	}
	listTweaked := func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		tweak(&options)
		return list(ctx, options)
	}
	watchTweaked := func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
		tweak(&options)
		return watching(ctx, options)
	}
	return cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc:  listTweaked,
		WatchFuncWithContext: watchTweaked,
		ListFunc: func(options metav1.ListOptions) (runtime.Object, error) {
			return listTweaked(context.Background(), options)
		},
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			return watchTweaked(context.Background(), options)
		},
	}, client)
}

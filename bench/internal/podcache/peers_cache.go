package podcache

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	listersv1 "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	clientgocache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"vedette.dev/bench/harness"
	"vedette.dev/bridge"
	"vedette.dev/bridge/ctrl"
	"vedette.dev/cache"
)

// cached is an informer in a cache of controller-runtime.
type cached struct {
	clientgocache.SharedIndexInformer
	cache   ctrlcache.Cache
	handler clientgocache.ResourceEventHandlerRegistration
}

func newCached(r *Running) (informer, error) {
	newCache := ctrlcache.New
	if r.Side == harness.Vedette {
		newCache = ctrl.NewCacheWith(bridge.Options{StorageFor: map[runtime.Object]cache.Storage{&corev1.Pod{}: r.Storage}})
	}
	// The server has no discovery.
	mapper := meta.NewDefaultRESTMapper(nil)
	kind := corev1.SchemeGroupVersion.WithKind("Pod")
	mapper.Add(kind, meta.RESTScopeNamespace)
	config := &rest.Config{
		Host:               r.Server.URL,
		ContentConfig:      rest.ContentConfig{ContentType: r.Encoding.ContentType(), AcceptContentTypes: r.Encoding.ContentType()},
		DisableCompression: true,
		QPS:                -1,
	}
	var example client.Object = &corev1.Pod{}
	if r.Unstructured {
		config.ContentConfig = rest.ContentConfig{}
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(kind)
		example = u
	}
	c := &cached{}
	var err error
	if c.cache, err = newCache(config, ctrlcache.Options{Mapper: mapper, Scheme: scheme.Scheme}); err != nil {
		return nil, err
	}
	made, err := c.cache.GetInformer(context.Background(), example)
	if err != nil {
		return nil, err
	}
	c.SharedIndexInformer = made.(clientgocache.SharedIndexInformer)
	c.handler, err = c.AddEventHandler(r.View)
	return c, err
}

func (c *cached) run(ctx context.Context) { _ = c.cache.Start(ctx) }

func (c *cached) synced() bool { return c.HasSynced() && c.handler.HasSynced() }

func (c *cached) store() Store { return c.GetIndexer() }

func (c *cached) lister() Lister {
	return cachedLister{clientGoLister{listersv1.NewPodLister(c.GetIndexer())}, c.cache}
}

// cachedLister reads as reconcilers of controller-runtime do.
type cachedLister struct {
	clientGoLister
	reader client.Reader
}

func (l cachedLister) InNamespace(namespace string) ([]corev1.Pod, error) {
	var list corev1.PodList
	err := l.reader.List(context.Background(), &list, client.InNamespace(namespace))
	return list.Items, err
}

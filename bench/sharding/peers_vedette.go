package sharding

import (
	corev1 "k8s.io/api/core/v1"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	informersv1 "vedette.dev/informers/core/v1"
	"vedette.dev/kubernetes"
	"vedette.dev/rest"
	"vedette.dev/shard"
)

func vedetteConfig(url string) *rest.Config {
	return &rest.Config{
		Host:               url,
		BearerToken:        apitest.AdminToken,
		ContentConfig:      rest.ContentConfig{ContentType: protobuf, AcceptContentTypes: protobuf},
		DisableCompression: true,
		QPS:                -1,
	}
}

// unsharded is Vedette's informer without shards.
type unsharded struct {
	cache.SharedIndexInformer
	handler cache.ResourceEventHandlerRegistration
}

func newPlain(url string, v *view) (side, error) {
	client, err := kubernetes.NewForConfig(vedetteConfig(url))
	if err != nil {
		return nil, err
	}
	u := unsharded{SharedIndexInformer: informersv1.NewPodInformer(client, "", 0,
		cache.Indexers{namespaceIndex: cache.MetaNamespaceIndexFunc})}
	u.handler, err = u.AddEventHandler(v)
	return u, err
}

func (u unsharded) handlerSynced() bool { return u.handler.HasSynced() }

func (u unsharded) list() []*corev1.Pod { return podsOf(u.GetIndexer().List()) }

// sharded is Vedette's informer over shards.
type sharded struct {
	*shard.TypedShardingInformer[*corev1.Pod]
	handler cache.ResourceEventHandlerRegistration
}

func newSharded(url string, source shard.Source, v *view) (side, error) {
	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.Pod]{
		Resource: corev1.SchemeGroupVersion.WithResource("pods"),
		REST:     vedetteConfig(url),
		Source:   source,
		Informer: cache.SharedIndexInformerOptions{Indexers: cache.Indexers{namespaceIndex: cache.MetaNamespaceIndexFunc}},
	})
	if err != nil {
		return nil, err
	}
	s := &sharded{TypedShardingInformer: informer}
	s.handler, err = informer.AddShardHandler(shard.HandlerFuncs[*corev1.Pod]{
		AddFunc:    func(_ string, pod *corev1.Pod, _ bool) { v.state(pod, true) },
		UpdateFunc: func(_ string, _, pod *corev1.Pod) { v.state(pod, false) },
		DeleteFunc: func(_ string, gone cache.DeletedObject[*corev1.Pod]) { v.OnDelete(gone.OptionalObj) },
		LostFunc:   func(id string, _ []string) { v.fail("heard that shard %s is lost", id) },
	}, shard.HandlerOptions{})
	return s, err
}

func (s *sharded) handlerSynced() bool { return s.handler.HasSynced() }

func (s *sharded) list() []*corev1.Pod { return podsOf(s.GetIndexer().List()) }

package sharding

import (
	corev1 "k8s.io/api/core/v1"
	informersv1 "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"vedette.dev/apitest"
)

type clientGo struct {
	cache.SharedIndexInformer
	handler cache.ResourceEventHandlerRegistration
}

func newClientGoClient(url string) (*kubernetes.Clientset, error) {
	return kubernetes.NewForConfig(&rest.Config{
		Host:               url,
		BearerToken:        apitest.AdminToken,
		ContentConfig:      rest.ContentConfig{ContentType: protobuf, AcceptContentTypes: protobuf},
		DisableCompression: true,
		QPS:                -1,
	})
}

func newClientGo(url string, v *view) (side, error) {
	client, err := newClientGoClient(url)
	if err != nil {
		return nil, err
	}
	c := clientGo{SharedIndexInformer: informersv1.NewPodInformer(client, "", 0,
		cache.Indexers{namespaceIndex: cache.MetaNamespaceIndexFunc})}
	c.handler, err = c.AddEventHandler(v)
	return c, err
}

func (c clientGo) handlerSynced() bool { return c.handler.HasSynced() }

func (c clientGo) list() []*corev1.Pod { return podsOf(c.GetIndexer().List()) }

func podsOf(objs []any) []*corev1.Pod {
	out := make([]*corev1.Pod, 0, len(objs))
	for _, obj := range objs {
		if pod, ok := obj.(*corev1.Pod); ok {
			out = append(out, pod)
		}
	}
	return out
}

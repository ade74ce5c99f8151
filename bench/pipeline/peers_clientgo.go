package pipeline

import "k8s.io/client-go/tools/cache"

type clientGo struct{ cache.SharedIndexInformer }

func newClientGo(s *source) informer {
	return clientGo{cache.NewSharedIndexInformer(s, &thing{}, 0, cache.Indexers{namespaceIndex: cache.MetaNamespaceIndexFunc})}
}

func (c clientGo) add(h handler, _ bool) (hasSynced, error) { return c.AddEventHandler(h) }

func (c clientGo) store() store { return c.GetIndexer() }

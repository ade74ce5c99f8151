package indexer

import "k8s.io/client-go/tools/cache"

func newClientGo() store {
	return cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
		namespaceIndex: cache.MetaNamespaceIndexFunc,
		nodeIndex:      byNode,
		appIndex:       byApp,
	})
}

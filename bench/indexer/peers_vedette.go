package indexer

import "vedette.dev/cache"

func newVedette() store {
	return cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
		namespaceIndex: cache.MetaNamespaceIndexFunc,
		nodeIndex:      byNode,
		appIndex:       byApp,
	})
}

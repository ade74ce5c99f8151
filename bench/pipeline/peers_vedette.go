package pipeline

import "vedette.dev/cache"

type vedette struct{ cache.SharedIndexInformer }

func newVedette(s *source) informer {
	return vedette{cache.NewSharedIndexInformer(s, &thing{}, 0, cache.Indexers{namespaceIndex: cache.MetaNamespaceIndexFunc})}
}

func (v vedette) add(h handler, each bool) (hasSynced, error) {
	var options cache.HandlerOptions
	if each {
		options.MaxWaiting = -1
	}
	return v.AddEventHandlerWithOptions(h, options)
}

func (v vedette) store() store { return v.GetIndexer() }

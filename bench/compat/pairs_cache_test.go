package compat

import (
	// The comparison loads these by their names; the imports keep them in go.mod.
	_ "k8s.io/client-go/tools/cache"
	_ "k8s.io/client-go/tools/cache/synctrack"

	_ "vedette.dev/cache"
	_ "vedette.dev/cache/synctrack"
)

// cachePairs are the stores and queues, and what is made of them.
var cachePairs = []Pair{
	{Peer: "k8s.io/client-go/tools/cache", Own: "vedette.dev/cache", Omitted: merge(
		omitted("with the informers",
			"Config", "Controller", "DefaultWatchErrorHandler", "DeletedObject", "FilteringResourceEventHandler", "Getter",
			"HandlerOptions", "InformerOptions", "InformerSynced", "ListFunc", "ListWatch", "ListWithContextFunc", "Lister",
			"ListerWatcher", "ListerWatcherWithContext", "ListerWithContext", "New", "NewFilteredListWatchFromClient",
			"NewIndexerInformer", "NewInformer", "NewInformerWithOptions", "NewListWatchFromClient", "NewNamedReflector",
			"NewNamespaceKeyedIndexerAndReflector", "NewReflector", "NewReflectorWithOptions", "NewRetryWithDeadline",
			"NewSharedIndexInformer", "NewSharedIndexInformerWithOptions", "NewSharedInformer",
			"NewTransformingIndexerInformer", "NewTransformingInformer", "NewTypedSharedIndexInformer", "Object", "ProcessFunc",
			"Reflector", "ReflectorOptions", "ResourceEventHandler", "ResourceEventHandlerDetailedFuncs",
			"ResourceEventHandlerFuncs", "ResourceEventHandlerRegistration", "ResourceVersionUpdater", "RetryWithDeadline",
			"SharedIndexInformer", "SharedIndexInformerOptions", "SharedInformer", "ShouldResyncFunc", "ShutDownEventHandler",
			"ToListWatcherWithWatchListSemantics", "ToListerWatcherWithContext", "ToListerWithContext", "ToWatcherWithContext",
			"TypedFilteringResourceEventHandler", "TypedResourceEventHandler", "TypedResourceEventHandlerDetailedFuncs",
			"TypedResourceEventHandlerFuncs", "TypedSharedIndexInformer", "VeryShortWatchError", "WaitForCacheSync",
			"WaitForNamedCacheSync", "WaitForNamedCacheSyncWithContext", "WatchErrorHandler", "WatchErrorHandlerWithContext",
			"WatchFunc", "WatchFuncWithContext", "Watcher", "WatcherWithContext"),
		omitted("no state of the whole process: a provider of metrics is given in options",
			"SetInformerMetricsProvider", "SetReflectorMetricsProvider"),
		omitted("only SetReflectorMetricsProvider takes it, and nobody reads what that sets",
			"MetricsProvider"),
		omitted("there is no list of names that it could empty",
			"ResetInformerNamesForTesting"),
	)},
	{Peer: "k8s.io/client-go/tools/cache/synctrack", Own: "vedette.dev/cache/synctrack"},
}

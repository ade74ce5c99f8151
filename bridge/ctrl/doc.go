// Package ctrl runs controller-runtime programs on Vedette's informers and queues. A program changes one line:
//
//	mgr, err := ctrl.NewManager(config, ctrl.Options{NewCache: bridgectrl.NewCache})
//
// Everything else is controller-runtime's own code: selectors, namespaces, transforms, ByObject, indexes, unstructured objects and
// metadata, RemoveInformer, readers that fail on missing informers. Only its informers are made by package bridge, and read the bytes
// that the API server sends.
//
//	NewCache        a cache.NewCacheFunc
//	NewCacheWith    the same with options: for example packed storage, in a tenth of the memory
//	NewQueue        Vedette's fair queue as a priorityqueue.PriorityQueue, for controller.Options.NewQueue
//	NewPlainQueue   a queue without priorities, for controllers that set UsePriorityQueue to false
//	QueueFor        the one or the other, as a manager says, and the page shows their controllers
//	Reconciler      remembers the errors of a reconciler for the page
//	MountConsole    the live page, on the metrics server of a manager
//	ServeConsole    the live page, on an address of its own
//	Metrics         metrics of informers in controller-runtime's registry, for bridge.Options
package ctrl

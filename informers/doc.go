// Package informers keeps copies of what a cluster has, one for each kind that is asked for, and shares them.
//
//	factory := informers.NewSharedInformerFactory(clientset, 0)
//	pods := factory.Core().V1().Pods()
//	pods.TypedInformer().AddTypedEventHandler(corev1informers.PodHandlerFuncs{AddFunc: added})
//	factory.StartWithContext(ctx)
//	err := factory.WaitForCacheSyncWithContext(ctx).AsError()
//	pod, err := pods.Lister().Pods("default").Get("web-0")
//
// The types:
//
//   - [SharedInformerFactory]: what programs take as a parameter. Informers are reached by group, version and kind, by
//     resource, or by Go type.
//   - [Factory]: what all factories of this package are. It can do more: see Lease, Release, Drop, SetNamespaces, State and
//     HealthCheck. [New] makes one, and so do the older functions, behind the interface.
//   - The packages below this one, one for each version of each API group: an interface for each kind, constructors of
//     informers that are not shared, names for typed handlers.
//   - Package pool: how informers are shared and stopped. Package custominformer: informers of a struct of your own, without
//     generated code. Packages dynamic/dynamicinformer and metadata/metadatainformer: the same for any resource.
//
// # What always holds
//
//   - One list and watch a kind, however many ask for it. The first to ask has the informer made; it is started by the next
//     Start, and asking later means to call Start again.
//   - Handlers added to an informer that runs hear of all objects that there are, and then of every change.
//   - When Shutdown, Release or Drop return, nothing of what they stopped runs.
//   - Every informer of a factory has the index cache.NamespaceIndex.
//
// # Controllers that come and go
//
// A lease is a factory that shares its informers with the one it was taken from. Give one to each part of a program that may
// stop before the others do. What nobody else uses stops when it is released, and its memory goes:
//
//	lease := factory.Lease()
//	controller := NewController(lease) // takes a SharedInformerFactory
//	lease.StartWithContext(ctx)
//	...
//	err := lease.Release(ctx)
//
// A kind that is not served, for its CustomResourceDefinition is missing, is no error of the factory: its informer tries again,
// and says so in its State. When the kind comes, or comes back, it goes on by itself.
package informers

//go:generate go run vedette.dev/internal/gen/informers informers

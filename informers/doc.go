// Package informers has shared informers of all built-in kinds.
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
//   - [SharedInformerFactory]: the interface that programs take as a parameter. Informers are reached by group, version
//     and kind, by resource, or by Go type.
//   - [Factory]: the type of all factories of this package. It has more methods: Lease, Release, Drop, SetNamespaces,
//     State and HealthCheck. [New] returns one, and so do the other functions, as the interface.
//   - The packages below this one, one for each version of each API group: an interface for each kind, constructors of
//     informers that are not shared, names for typed handlers.
//   - Package pool: how informers are shared and stopped. Package custominformer: informers of a struct of your own,
//     without generated code. Packages dynamic/dynamicinformer and metadata/metadatainformer: the same for any
//     resource.
//
// # Guarantees
//
//   - There is one list and watch per kind, however often it is requested. The first request creates the informer; the
//     next Start starts it, so call Start again after later requests.
//   - A handler that is added to a running informer first receives all objects, and then every change.
//   - When Shutdown, Release or Drop return, no goroutine of the stopped informers is left.
//   - Every informer of a factory has the index cache.NamespaceIndex.
//
// # Controllers that come and go
//
// A lease is a factory that shares its informers with the one it was taken from. Use one for each part of a program
// that may stop before the others. Informers that have no other holder stop when the lease is released, and their
// memory is freed:
//
//	lease := factory.Lease()
//	controller := NewController(lease) // takes a SharedInformerFactory
//	lease.StartWithContext(ctx)
//	...
//	err := lease.Release(ctx)
//
// A kind that is not served, because its CustomResourceDefinition is missing, is not an error of the factory: its
// informer retries, and reports that in its State. When the kind is served, it continues.
package informers

//go:generate go run vedette.dev/internal/gen/informers informers

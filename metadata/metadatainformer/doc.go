// Package metadatainformer keeps copies of what a cluster has, the metadata of
// any resource alone, and shares them. Objects are *metav1.PartialObjectMetadata.
//
//	factory := metadatainformer.NewSharedInformerFactory(client, 0)
//	widgets := factory.ForResource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"})
//	widgets.Informer().AddEventHandler(handler)
//	factory.Start(ctx.Done())
//	factory.WaitForCacheSync(ctx.Done())
//	widget, err := widgets.Lister().ByNamespace("default").Get("one")
//
// The types:
//
//   - [SharedInformerFactory]: what programs take as a parameter.
//   - [Factory]: what all factories of this package are. It can do more: Lease, Release, Drop, SetNamespaces, State and
//     HealthCheck; see package pool. [New] makes one, and so do the older functions, behind the interface.
//   - [NewFilteredMetadataInformer]: an informer that is not shared.
//
// A resource that is not served, for its CustomResourceDefinition is missing, is no error of the factory: its informer tries
// again, and says so in its State. When the resource comes, or comes back, it goes on by itself.
package metadatainformer

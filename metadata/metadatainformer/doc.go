// Package metadatainformer has shared informers of the metadata of any resource. Objects are
// *metav1.PartialObjectMetadata.
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
//   - [SharedInformerFactory]: the interface that programs take as a parameter.
//   - [Factory]: the type of all factories of this package. It has more methods: Lease, Release, Drop, SetNamespaces,
//     State and HealthCheck; see package pool. [New] returns one, and so do the other functions, as the interface.
//   - [NewFilteredMetadataInformer]: an informer that is not shared.
//
// A resource that is not served, because its CustomResourceDefinition is missing, is not an error of the factory: its
// informer retries, and reports that in its State. When the resource is served, it continues.
package metadatainformer

// Package dynamic is a client for resources without Go types. Objects are maps, in an unstructured.Unstructured.
//
//	client, err := dynamic.NewForConfig(config)
//	widgets := client.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"})
//	list, err := widgets.Namespace("default").List(ctx, metav1.ListOptions{})
//
// The types:
//
//   - [DynamicClient]: the client of a server. Resource returns the client of a resource.
//   - [NamespaceableResourceInterface]: a resource in all namespaces, or a cluster-scoped one. Namespace selects a
//     namespace.
//   - [ResourceInterface]: create, update, delete, get, list, watch, patch and apply.
//   - [Requester]: the requests of List and Watch, to read the response item by item. The results of Resource and
//     Namespace implement it.
//   - [On]: sets the resource of a request, for operations without a method.
//
// Guarantees:
//
//   - Objects are encoded as JSON. Numbers without a fraction are int64, others float64.
//   - A group, version, resource, namespace, name or subresource that is not one segment of a path ("", "..", "a/b") is
//     an error, and nothing is sent: such a request would reach another resource.
//   - Apply rejects an object with managed fields. It was read from the server, and applying it would claim every
//     field.
//   - In a watch, an ERROR event has a *metav1.Status; all others have an *unstructured.Unstructured.
package dynamic

// Package dynamic is a client for resources that the program has no Go types for. Objects are maps, in an
// unstructured.Unstructured.
//
//	client, err := dynamic.NewForConfig(config)
//	widgets := client.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"})
//	list, err := widgets.Namespace("default").List(ctx, metav1.ListOptions{})
//
// The types:
//
//   - [DynamicClient]: a server. Its Resource chooses what to speak about.
//   - [NamespaceableResourceInterface]: a resource in all namespaces, or one that has none. Its Namespace chooses one.
//   - [ResourceInterface]: create, update, delete, get, list, watch, patch and apply.
//   - [Requester]: the requests behind List and Watch, for those who want to read the answer item by item. What Resource
//     and Namespace return implements it.
//   - [On]: points a request of your own at a resource, for what there is no method for.
//
// What to expect:
//
//   - Objects travel as JSON. Numbers without a fraction are int64, others float64.
//   - A group, version, resource, namespace, name or subresource that is not one segment of a path ("", "..", "a/b") is
//     an error, and nothing is sent: such a request would reach something else.
//   - Apply refuses an object with managed fields. It was read from the server, and applying it would claim every field.
//   - In a watch, an ERROR event carries a *metav1.Status; all others carry an *unstructured.Unstructured.
package dynamic

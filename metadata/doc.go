// Package metadata is a client for the metadata of objects: names, labels, owners, versions. The server omits the rest,
// so responses are small whatever the objects contain, and no Go types are needed.
//
//	client, err := metadata.NewForConfig(config)
//	pods := client.Resource(corev1.SchemeGroupVersion.WithResource("pods"))
//	list, err := pods.Namespace("default").List(ctx, metav1.ListOptions{})
//
// The types:
//
//   - [Interface], [Client]: the client of a server. Resource returns the client of a resource.
//   - [Getter]: a resource in all namespaces, or a cluster-scoped one. Namespace selects a namespace.
//   - [ResourceInterface]: get, list, watch, patch and delete.
//   - [Requester]: the requests of List and Watch, to read the response item by item. The results of Resource and
//     Namespace implement it.
//
// Guarantees:
//
//   - Responses are protobuf if the server supports it, and JSON otherwise. If a server sends whole objects, the
//     metadata is extracted from them, in a watch as well.
//   - The kind and API version of the results are empty: they would be those of PartialObjectMetadata.
//   - A group, version, resource, namespace, name or subresource that is not one segment of a path ("", "..", "a/b") is
//     an error, and nothing is sent.
package metadata

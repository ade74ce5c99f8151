// Package metadata is a client that reads only the metadata of objects: names, labels, owners, versions. The server leaves
// out the rest, so an answer is small whatever the objects hold, and no Go types are needed.
//
//	client, err := metadata.NewForConfig(config)
//	pods := client.Resource(corev1.SchemeGroupVersion.WithResource("pods"))
//	list, err := pods.Namespace("default").List(ctx, metav1.ListOptions{})
//
// The types:
//
//   - [Interface], [Client]: a server. Its Resource chooses what to speak about.
//   - [Getter]: a resource in all namespaces, or one that has none. Its Namespace chooses one.
//   - [ResourceInterface]: get, list, watch, patch and delete.
//   - [Requester]: the requests behind List and Watch, for those who want to read the answer item by item. What Resource
//     and Namespace return implements it.
//
// What to expect:
//
//   - Answers are protobuf where the server can do it, and JSON otherwise. From a server that sends whole objects, the
//     metadata is taken out of them, in a watch as well.
//   - The kind and API version of what is returned are empty: they would be those of PartialObjectMetadata.
//   - A group, version, resource, namespace, name or subresource that is not one segment of a path ("", "..", "a/b") is
//     an error, and nothing is sent.
package metadata

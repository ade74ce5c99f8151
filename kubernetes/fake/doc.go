// Package fake has clientsets for tests. They are real clientsets of an API server in this process, package apitest.
//
//	client := fake.NewSimpleClientset(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: "default"}})
//	settings, err := client.CoreV1().ConfigMaps("default").Get(ctx, "settings", metav1.GetOptions{})
//
// # Which one
//
//   - [NewSimpleClientset] leaves objects as they are, as client-go's fakes do: it is for tests that were written for these,
//     and for tests whose objects are not complete: pods without containers, owners without a UID, objects with a status from
//     the beginning, or no namespace. It sets no UID, resourceVersion or creationTimestamp, and compares none of them.
//   - [NewClientset] is a server: it rejects what a server rejects, sets defaults and identity, refuses writes of old versions,
//     and keeps managed fields. Namespaces are created as needed.
//   - A [Clientset] without a constructor has no server. What no reactor handles is answered with empty objects.
//   - For more control of the server, faults, or a cluster with many objects, use package apitest.
//
// Watches, selectors, patches, server-side apply and finalizers work in both. An object without a name is reported by the
// requests for its resource.
//
// # Guarantees
//
//   - Nothing needs to be closed, and nothing runs except during a request or a watch. Clientsets work in a
//     testing/synctest bubble, and one that is no longer used is garbage.
//   - A Clientset records actions, and calls reactors of the test: see package vedette.dev/testing, whose Fake it
//     embeds. The clients of its groups are those of the packages kubernetes/typed/…/fake.
//   - Tracker gives access to the objects without actions and reactors.
package fake

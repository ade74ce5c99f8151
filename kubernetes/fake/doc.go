// Package fake has clientsets for tests. They are real clientsets of an API server in this process, package apitest,
// and so behave as in a cluster: objects have versions and UIDs, writes conflict, watches, selectors and patches work.
//
//	client := fake.NewClientset(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: "default"}})
//	settings, err := client.CoreV1().ConfigMaps("default").Get(ctx, "settings", metav1.GetOptions{})
//
// # Which one
//
//   - [NewClientset] rejects what a server rejects, sets defaults, and keeps managed fields. Namespaces are created as
//     needed.
//   - [NewSimpleClientset] stores objects unchanged, and is for tests whose objects are not valid: pods without
//     containers, objects with a status from the beginning, or no namespace.
//   - A [Clientset] without a constructor has no server. What no reactor handles is answered with empty objects.
//   - For more control of the server, faults, or a cluster with many objects, use package apitest.
//
// # Guarantees
//
//   - Nothing needs to be closed, and nothing runs except during a request or a watch. Clientsets work in a
//     testing/synctest bubble, and one that is no longer used is garbage.
//   - A Clientset records actions, and calls reactors of the test: see package vedette.dev/testing, whose Fake it
//     embeds.
//   - Tracker gives access to the objects without actions and reactors.
package fake

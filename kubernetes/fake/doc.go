// Package fake has clientsets for tests. They are real ones that speak to an API server in this process, package apitest, and
// so behave as a cluster does: objects have versions and UIDs, writes conflict, watches, selectors and patches work.
//
//	client := fake.NewClientset(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: "default"}})
//	settings, err := client.CoreV1().ConfigMaps("default").Get(ctx, "settings", metav1.GetOptions{})
//
// # Which one
//
//   - [NewClientset] refuses what a server refuses, fills in defaults, and keeps managed fields. Namespaces are made as they are
//     needed.
//   - [NewSimpleClientset] takes objects as they are, and is for tests whose objects would not pass: pods without
//     containers, objects with a status from the beginning, or no namespace.
//   - A [Clientset] of your own, without a constructor, has no server. What no reactor answers is answered with empty objects.
//   - Who wants to see more of the server, or faults, or a cluster with many objects, takes package apitest itself.
//
// # What holds
//
//   - Nothing needs to be closed, and nothing runs except while a request or a watch is under way. Clientsets work in a
//     testing/synctest bubble, and one that is no longer used is garbage.
//   - A Clientset records what was asked of it, and lets functions of the test answer: see package vedette.dev/testing, whose
//     Fake it embeds.
//   - Tracker is the way to the objects that leaves no trace and meets no reactor.
package fake

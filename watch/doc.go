// Package watch waits for events, and keeps watches going.
//
//   - [Until] watches from a resource version on, until conditions are met. It sees every event, and fails if the server
//     no longer has a version.
//   - [UntilWithSync] does so with an informer: it begins with the objects that there are, and survives everything, but may
//     miss states between two lists.
//   - [UntilWithoutRetry] reads events from a given watch, and fails when that ends.
//   - [RetryWatcher] is a watch that begins again where it was interrupted; [NewIndexerInformerWatcher] makes a watch of an
//     informer.
//
// A program that waits for one object:
//
//	lw := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", namespace, fields.OneTermEqualSelector("metadata.name", name))
//	event, err := watch.UntilWithSync(ctx, lw, &corev1.Pod{}, nil, func(event watch.Event) (bool, error) {
//		return event.Object.(*corev1.Pod).Status.Phase == corev1.PodRunning, nil
//	})
//
// All functions wait until their context ends; [ContextWithOptionalTimeout] makes one for a timeout that may be 0.
package watch

// Package rest is the HTTP client for a Kubernetes API server.
//
// A [Config] has the address of the server and the credentials; [RESTClientFor] returns a [RESTClient] for one group
// and version; the client's Get, Post, Put, Patch and Delete return a [Request], which a chain of setters completes:
//
//	pod := &corev1.Pod{}
//	err := client.Get().Namespace("default").Resource("pods").Name("web").Do(ctx).Into(pod)
//
// # Reading responses
//
//   - [Request.Do] reads the whole response into a [Result], to be decoded with Into or Get.
//   - [Request.DoRaw] and [Request.Stream] return its bytes, at once or as a stream.
//   - [Request.Watch] returns the decoded events of a watch.
//   - [Request.Items] returns a list as a stream of items, and [Request.Frames] a watch as a stream of frames, without
//     decoding them. They are for caches of many objects: memory is needed for one item at a time, a [Raw] object can
//     be asked for its [Meta] (key, UID, version), labels and owners without decoding the rest, and the whole is
//     decoded only by Into.
//
// # Guarantees
//
//   - The first error in a chain of setters is kept; nothing is sent.
//   - A request waits for the rate limiter before its timeout starts. Watches do not wait.
//   - A request is retried up to ten times, if the server asks for it (429 or 5xx with Retry-After), or if it is a GET
//     and the connection was lost. A body that is a reader is sent once.
//   - Errors of the server are *errors.StatusError of k8s.io/apimachinery, whatever the response looked like.
//   - Watches and streams have a connection of their own. A dead connection is detected within 45 seconds.
//   - A server cannot make this package panic or use unbounded memory: Do and DoRaw read at most
//     Config.MaxResponseBytes, and Items and Frames hold one object at a time.
//   - Errors and the String of a Config contain no secrets.
package rest

// Package rest speaks to a Kubernetes API server.
//
// A [Config] says where the server is and who we are; [RESTClientFor] makes a [RESTClient] of it, for one group and version;
// the client's Get, Post, Put, Patch and Delete begin a [Request], which a chain of setters completes:
//
//	pod := &corev1.Pod{}
//	err := client.Get().Namespace("default").Resource("pods").Name("web").Do(ctx).Into(pod)
//
// # How an answer is read
//
//   - [Request.Do] reads the whole answer into a [Result], to be decoded with Into or Get.
//   - [Request.DoRaw] and [Request.Stream] give its bytes, all at once or as they come.
//   - [Request.Watch] gives the events of a watch, decoded.
//   - [Request.Items] gives a list as a stream of items, and [Request.Frames] a watch as a stream of frames, neither
//     decoded. They are the doors for those who keep many objects: an item needs the memory of one item, a [Raw] object tells
//     its [Meta] (key, UID, version) and, when asked, labels and owners without the rest being touched, and the
//     whole is decoded only when somebody calls Into.
//
// # What holds
//
//   - The first error in a chain of setters sticks; nothing is sent.
//   - A request waits for the rate limiter before its time limit begins. Watches do not wait.
//   - A request is sent again, up to ten times, if the server says when (429 or 5xx with Retry-After), or if it is a GET and
//     the connection was lost. A body that is a reader is sent once.
//   - Errors of the server are *errors.StatusError of k8s.io/apimachinery, whatever the server's answer looked like.
//   - Watches and streams have a connection of their own. A connection that has gone silent is given up within 45 seconds.
//   - Nothing that the server sends makes this package panic or use memory without bound, with one exception: Do and DoRaw read
//     the whole answer, however long it is. Items and Frames do not.
//   - Secrets are in no error, and in no String of a Config.
package rest

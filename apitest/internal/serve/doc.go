// Package serve handles requests as kube-apiserver does.
//
//   - [Server] is an http.Handler. [Config] configures it.
//   - [Request] is a parsed request, which authorization rules and faults use.
//   - [FrameWriter] is the destination of the frames of a watch. [Config.Frames] can wrap it.
//
// # The path of a request
//
//  1. parse: path and query → Request.
//  2. authenticate, authorize: 401, 403.
//  3. Config.Intercept: may handle the request instead.
//  4. route: 404, 405, or one of the verbs.
//  5. The verb decodes options and body (negotiate, options.go, decode), creates a call and runs it.
//  6. The call works on objects only, so that it also serves requests without a connection (direct.go): it reads the
//     newest item, changes a copy, prepares, validates and tracks it, and replaces that item; after a concurrent write,
//     it is retried.
//  7. The response is encoded in the negotiated version and form (view).
//
// # Watches
//
// A watch is the goroutine of its request with a reader of the store's log: there is no queue between the two, so an
// idle watcher costs nothing, and a slow one does not block anything. It is woken by new events, takes all of them,
// translates them for its selectors, writes the frames and flushes once. A frame is encoded by the first watcher that
// needs it, and kept with the event for the others.
//
// # Errors
//
// Handlers return errors; those that are not a Status become an internal error, in some places on purpose: the real
// server does the same. The messages are those of the real server, since programs compare them.
package serve

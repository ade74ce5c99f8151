// Package serve answers requests as kube-apiserver does.
//
//   - [Server] is an http.Handler. [Config] says what it is made of.
//   - [Request] is what a client asks for, known before anything is done: it is what rules and faults decide by.
//   - [FrameWriter] is where the frames of a watch go. [Config.Frames] can put something in front of it.
//
// # The way of a request
//
//  1. parse: path and query → Request.
//  2. authenticate, authorize: 401, 403.
//  3. Config.Intercept: may answer in the place of what follows.
//  4. route: 404, 405, or one of the verbs.
//  5. The verb reads options and body (negotiate, options.go, decode), makes a call of them and runs it.
//  6. The call works on objects alone, so that it also serves those who come without a connection (direct.go): it reads the
//     newest item, changes a copy, has it prepared, checked and tracked, and stores it in the place of that item; if somebody
//     came in between, it begins anew.
//  7. The answer is encoded in the version and form that was agreed on (view).
//
// # Watches
//
// A watch is the goroutine of its request with a reader of the store's log: there is no queue between the two, so a watcher
// costs nothing while nothing happens, and a slow one holds up nobody. It is woken when there is something new, takes all of
// it, translates it for its selectors, writes the frames and flushes once. A frame is made by the first watcher that needs it,
// and kept with the event for the others.
//
// # Errors
//
// Handlers return errors; those that are no Status become an internal error, on purpose in some places: the real server does
// the same. The messages are the real ones, since programs compare them, whatever one may think of it.
package serve

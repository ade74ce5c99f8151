// Package listwatch is the state machine that keeps a sink in sync with a server: it lists, and then watches, for as
// long as it runs.
//
// # Types
//
//	Reflector  the state machine                                        New with a Config
//	Source     functions or requests that list and watch                Config.Source
//	Sink       what is written to                                       Config.Sink
//	Event      a change: key and revision, and bytes or an object       Sink.Take
//	Relist     a list on its way into the sink, made of Items           Sink.Relist
//	State      what the reflector is doing                              Reflector.State
//
// # The states
//
//	begin ─▶ stream ─▶ watch ⇄ back off ─▶ begin
//	      └▶ list ───┘
//
// In detail:
//
//  1. It starts a streaming list, that is, a watch that begins with all objects (stream, in watchlist.go). If the
//     server does not support it, or does not send the bookmark that ends the initial events, it lists in pages
//     (list.go), and tries a streaming list again after a while.
//  2. The new state is passed to the sink in one step (snapshot.go). What the sink has in the same version need not be
//     decoded.
//  3. Each change is passed to the sink when it arrives (watch.go). A watch that ends is started again at the last
//     version.
//  4. After a failure it waits (backoff.go), and continues with the watch, if that is possible without missing changes,
//     or with 1.
//
// A watchdog ends a watch early if necessary, also while nothing is received (watchdog.go). errors.go classifies
// errors.
//
// # Invariants
//
//   - Key, UID and resourceVersion of an object are read once, from the frame, and travel with the [Event] or [Item].
//   - A version is reached only after everything up to it was given to the sink.
//   - A list that was interrupted is not committed.
//   - An object that cannot be decoded is counted in State, and rechecked later; the others are not affected.
//   - Nothing is dropped because the sink is slow.
//
// # Blocking
//
// The reflector is one goroutine, which blocks in each call of the sink. A watchdog for each watch, and a resync for
// each round, run beside it and end before Run returns. A Source that does not return when its context ends is
// abandoned. State does not block.
package listwatch

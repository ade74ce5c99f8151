// Package listwatch is the state machine that keeps a sink like what a server has: it lists, and then watches, for as long as it runs.
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
//		begin ─▶ stream ─▶ watch ⇄ back off ─▶ begin
//		      └▶ list ───┘
//
//	 1. It asks for a watch that begins with all objects (stream, in watchlist.go). From a server that refuses, or does not send the bookmark
//	    that ends them, it gets a list in pages (list.go), and asks for the other again after a while.
//	 2. The new state goes to the sink in one step (snapshot.go). What the sink has in the same state need not be decoded.
//	 3. Each change goes to the sink as it comes (watch.go). A watch that ends is begun again at the last version.
//	 4. When something fails it waits (backoff.go), and goes on with the watch, if that can be done without a loss, or with 1.
//
// What ends a watch early, also while nothing comes, is a watchdog (watchdog.go). Which error means what is in errors.go.
//
// # Invariants
//
//   - Key, UID and resourceVersion of an object are read once, from the frame, and travel with the Event or Item.
//   - A version is reached only after everything up to it was given to the sink.
//   - A list that was cut is not committed.
//   - An object that cannot be decoded is counted, its State says so, and it is looked at again; the others go on.
//   - Nothing is dropped because the sink is slow.
//
// # Who waits for whom
//
// The reflector is one goroutine, which waits for the sink in each call. A watchdog for each watch, and a resync for each round, run beside it
// and end before Run returns. A Source that does not return when its context ends is left behind. State waits for nothing.
package listwatch

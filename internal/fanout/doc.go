// Package fanout delivers notifications to the handlers of an informer: one append-only log, a cursor in it for each
// listener, and a backlog by key for a listener that has fallen behind. It knows nothing of Kubernetes: a key is a string, an
// object is any value, and a handler is a function.
//
// # Types
//
//	Log           the log and its listeners                    NewLog
//	Notification  one change of one object                     Log.Append
//	Listener      delivers notifications to one handler        NewListener with a Config; Log.Add
//	Replay        what a listener that comes late begins with  the argument of Log.Add
//	State         how far a listener is                        Listener.State, Log.States
//
// # How it is made
//
//	            Append
//	              ▼
//	batch ═▶ batch ═▶ batch ═▶ (empty batch)       each points to the next, none points back
//	  ▲                 ▲
//	listener          listener ◀─ far behind: the writer moves what waits to its backlog, one notification for each key
//	  ▼                 ▼
//	Call              Call
//
// A batch is appended once, whatever the number of listeners, and all of them read it in the same memory. A listener claims
// each notification of a batch by one atomic addition to its cursor, Listener.next. If the writer finds a listener too far
// behind, it sets the cursor to a very large number, so that the listener claims nothing more of the batch, and moves
// everything that was not claimed to the backlog. The listener returns to the log when its backlog is empty.
//
// How far behind a listener is, is counted in notifications that hold a state of an object that is no longer in the store:
// updates and deletions, and no additions. The batch that a listener reads and the newest one do not count.
//
// # Invariants
//
//   - A handler is called by one goroutine, which belongs to its listener. It is notified of the changes of a key in the order
//     in which they were appended.
//   - A listener that is added to a log delivers first its replay and then everything that is appended from then on, each
//     exactly once unless it is coalesced.
//   - The backlog leads from what the handler knows to the newest state: Old is the object that the handler was last notified
//     of. The last state of each key is delivered, and so is the deletion of every object that the handler was notified of. An
//     object of which it was not notified and that is gone again is dropped.
//   - A batch never changes. What all listeners have read is garbage, and a listener that has read everything holds nothing.
//   - Memory is bounded: a listener holds two batches, MaxWaiting notifications and one for each key. A log without listeners
//     holds nothing.
//   - A handler that panics is skipped, called again or ends the process, as its [Config] says. One that ends its goroutine is not
//     called again.
//   - Notifications of a resync reach only the listeners whose resync is due.
//
// Invariants of single fields are marked "Invariant:".
//
// # Blocking
//
//   - The writer does not wait for handlers. Append takes the lock of the log and, for a listener that has fallen behind, the
//     lock of the listener, both for as long as it takes to move notifications.
//   - A handler is called without a lock. It waits for no other handler.
//   - [Log.End] waits for all handlers, and [Log.Remove] for none. A handler may call Remove, and must not call End.
//   - Config.OnSynced and Config.OnEnded are called with locks held, and must not call this package.
//   - The caller of Add keeps others from appending until it has returned, so that the replay and the log fit together.
package fanout

// Package record tells people what happens to objects: it writes the events that "kubectl describe" shows.
//
//	broadcaster := record.NewBroadcaster()
//	defer broadcaster.Shutdown()
//	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
//	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "my-controller"})
//	...
//	recorder.Eventf(pod, corev1.EventTypeWarning, "BackOff", "the container %s has failed %d times", name, n)
//
// # Types
//
//   - [EventRecorder] is what a controller holds. It makes events of one source, and hands them to a broadcaster.
//   - [Broadcaster] gives each event to all who listen. [New] makes one with a [Config], [NewBroadcaster] one with client-go's
//     options; [EventBroadcaster] is what client-go has of it. Its [Stats] tell what became of events.
//   - [EventSink] is where events are kept. There are two: EventSinkImpl of vedette.dev/kubernetes/typed/core/v1, and the one of
//     vedette.dev/kubernetes/typed/events/v1, which writes the same events by events.k8s.io/v1.
//   - [EventCorrelator] stands before a sink: it combines similar events ([EventAggregator]), counts those that are the same,
//     and leaves out what is too much ([EventSourceObjectSpamFilter]). [CorrelatorOptions] change its numbers.
//   - [FakeRecorder] is for tests of what uses a recorder.
//   - [EventRecorderAdapter] has the signatures of client-go's other recorder, tools/events, and is one with this.
//
// # Order, blocking, bounds
//
//   - A recorder never waits: it makes the event, puts it into the queues of the listeners and returns. It starts no goroutine.
//   - Listeners (sinks, logs, functions) have a queue of 1,000 events and one goroutine each. When a queue is full, the newest
//     event is dropped for that listener, and counted. A listener that is slow, stuck or panicking holds up nobody else.
//   - All listeners get events in the order in which they were recorded, and a sink writes them in that order.
//   - While a sink does not answer, its queue stands still: 12 tries for an event, 10 seconds apart. What the server refuses is
//     given up at once. Memory does not grow, whatever is recorded: a message has 16 KiB at most, and a correlator remembers
//     4,096 sorts of events by digests of fixed size.
//   - Trouble is counted in Stats, and told to a logger at most every 10 seconds for each sort of it. There is no logger
//     unless one is given.
//   - When Shutdown returns, what was queued has been handled or dropped, and nothing runs. It takes no longer than
//     Config.ShutdownTimeout, and a second.
//
// # Caveats
//
//   - An event that nobody listens to is gone: start the sink before the first event.
//   - Events are for people, not for programs: they are combined, limited and dropped, and a server forgets them after an hour.
//   - By events.k8s.io/v1, the text of an event cannot be changed once it is written: one that stands for similar events keeps
//     the text of the first, while its count goes up.
package record

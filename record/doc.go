// Package record writes Kubernetes events, which "kubectl describe" shows.
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
//   - [EventRecorder] is what a controller uses. It creates events of one source, and passes them to a broadcaster.
//   - [Broadcaster] distributes each event to all listeners. [New] returns one for a [Config], [NewBroadcaster] one for
//     client-go's options; [EventBroadcaster] is client-go's interface of it. [Stats] counts what happened to events.
//   - [EventSink] stores events. There are two: EventSinkImpl of vedette.dev/kubernetes/typed/core/v1, and the one of
//     vedette.dev/kubernetes/typed/events/v1, which writes the same events as events.k8s.io/v1.
//   - [EventCorrelator] is in front of a sink: it combines similar events ([EventAggregator]), counts repetitions, and
//     limits their rate ([EventSourceObjectSpamFilter]). [CorrelatorOptions] configure it.
//   - [FakeRecorder] is for tests of code that uses a recorder.
//   - [EventRecorderAdapter] has the signatures of the recorders of package events.
//
// # Order, blocking, bounds
//
//   - A recorder never blocks: it creates the event, puts it into the queues of the listeners and returns. It starts no
//     goroutine.
//   - Listeners (sinks, logs, functions) have a queue of 1,000 events and one goroutine each. While a queue is full,
//     new events are dropped for that listener, and counted. A listener that is slow, stuck or panicking does not
//     affect the others.
//   - All listeners receive events in the order in which they were recorded, and a sink writes them in that order.
//   - A sink that does not answer blocks its queue: 12 attempts for an event, 10 seconds apart. An event that the
//     server rejects is given up at once. Memory is bounded: a message has 16 KiB at most, and a correlator remembers
//     4,096 events by digests of fixed size.
//   - Errors are counted in Stats, and logged at most every 10 seconds for each kind of error. There is no logger
//     unless one is given.
//   - When Shutdown returns, queued events have been handled or dropped, and no goroutine is left. It takes at most
//     Config.ShutdownTimeout plus one second.
//
// # Caveats
//
//   - An event without a listener is lost: start the sink before the first event.
//   - Events are for people, not for programs: they are combined, rate limited and dropped, and a server deletes them
//     after an hour.
//   - With events.k8s.io/v1, the note of an event cannot be updated: an aggregate event keeps the note of the first,
//     while its count goes up.
package record

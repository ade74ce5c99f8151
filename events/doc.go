// Package events writes events of events.k8s.io/v1: with an action and a related object, and repetitions as a series.
//
//	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
//	defer broadcaster.Shutdown()
//	if err := broadcaster.StartRecordingToSinkWithContext(ctx); err != nil {
//		return err
//	}
//	recorder := broadcaster.NewRecorder(scheme.Scheme, "my-controller")
//	...
//	recorder.Eventf(pod, node, corev1.EventTypeNormal, "Assigned", "Binding", "assigned to %s", node.Name)
//
// # Types
//
//   - [EventRecorder] is what a controller uses.
//   - [EventBroadcaster] distributes events to listeners: the [EventSink], logs, functions. [NewBroadcaster] returns one.
//   - [EventBroadcasterAdapter] has one for events.k8s.io/v1, if the server has that, and one for core/v1.
//   - [FakeRecorder] is for tests.
//
// # Order, blocking, bounds
//
// Queues, retries, limits and the end are those of package record, which does the work: recorders never block, each
// listener has a queue of 1,000 events and one goroutine, and when Shutdown returns nothing is left. Every broadcaster
// is a record.StatsReader.
//
// Events that differ at most in their notes are one series. The first is created; those that follow change the count and
// the time of the series, up to 25 at once and then one in five minutes, but all are counted. A series keeps the note of
// its first event.
package events

package events

import (
	"context"

	"github.com/go-logr/logr"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/internal/events"
	"vedette.dev/record"
)

type (
	// EventRecorder records events about objects. It never blocks, and returns no error: events that cannot be recorded
	// are counted and logged.
	EventRecorder = events.EventRecorder
	// EventRecorderLogger is an EventRecorder with a logger.
	EventRecorderLogger = events.EventRecorderLogger
	// AnnotatedEventRecorder records events with annotations. The recorders of this package do.
	AnnotatedEventRecorder = events.AnnotatedEventRecorder
)

// EventBroadcaster distributes the events of recorders to listeners. Each has a queue and a goroutine of its own, so that
// a slow one does not block the others.
type EventBroadcaster interface {
	// StartRecordingToSink is StartRecordingToSinkWithContext with a channel in place of the context.
	StartRecordingToSink(stopCh <-chan struct{})
	// StartRecordingToSinkWithContext writes events from now on to the sink of the broadcaster, until the context ends.
	StartRecordingToSinkWithContext(ctx context.Context) error
	// NewRecorder returns a recorder of events of one controller. The scheme provides the kinds of objects that have none
	// set.
	NewRecorder(scheme *runtime.Scheme, reportingController string) EventRecorderLogger
	// StartEventWatcher calls a function with each event from now on, an *eventsv1.Event, until the returned function is
	// called. The function may keep and modify the event.
	StartEventWatcher(eventHandler func(event runtime.Object)) (func(), error)
	// StartStructuredLogging logs each event from now on to slog.Default, at a verbosity: 0 is most important.
	StartStructuredLogging(verbosity int) func()
	// StartLogging logs each event from now on, until the returned function is called.
	StartLogging(logger logr.Logger) (func(), error)
	// Shutdown stops the broadcaster. Events in the queues are still handled, with one attempt to write each: see
	// Broadcaster.Shutdown of package record.
	Shutdown()
}

// EventSink stores events, such as EventSinkImpl. It must put an event into the event's namespace, and return what an API
// client would, errors included. It is called by one goroutine.
type EventSink interface {
	Create(ctx context.Context, event *eventsv1.Event) (*eventsv1.Event, error)
	Update(ctx context.Context, event *eventsv1.Event) (*eventsv1.Event, error)
	// Patch updates an event. oldEvent has the series that the strategic merge patch in data sets.
	Patch(ctx context.Context, oldEvent *eventsv1.Event, data []byte) (*eventsv1.Event, error)
}

// EventBroadcasterAdapter writes events of events.k8s.io/v1 if the server has that, and otherwise of core/v1.
type EventBroadcasterAdapter interface {
	// StartRecordingToSink writes events from now on to the server, until the channel is closed.
	StartRecordingToSink(stopCh <-chan struct{})
	// NewRecorder returns a recorder.
	NewRecorder(name string) EventRecorderLogger
	// DeprecatedNewLegacyRecorder returns a recorder of events of core/v1.
	DeprecatedNewLegacyRecorder(name string) record.EventRecorderLogger
	// Shutdown stops the broadcasters.
	Shutdown()
}

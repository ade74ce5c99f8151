package record

import (
	"context"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// EventRecorder records events about objects. No method blocks or returns an error: events that cannot be recorded are
// counted in Stats and logged.
//
// The object is an API object or an ObjectReference; the event is created in its namespace, or in "default" if it has
// none. The type is Normal or Warning. The reason is a word in CamelCase that programs can compare. The message is for
// people.
type EventRecorder interface {
	// Event records an event about an object.
	Event(object runtime.Object, eventtype, reason, message string)
	// Eventf is like Event, with fmt.Sprintf for the message.
	Eventf(object runtime.Object, eventtype, reason, messageFmt string, args ...any)
	// AnnotatedEventf is like Eventf, with annotations on the event.
	AnnotatedEventf(object runtime.Object, annotations map[string]string, eventtype, reason, messageFmt string, args ...any)
}

// EventRecorderLogger is an [EventRecorder] with a logger.
type EventRecorderLogger interface {
	EventRecorder
	// WithLogger returns a recorder that logs events that it cannot record to logger. It is cheap.
	WithLogger(logger logr.Logger) EventRecorderLogger
}

// EventBroadcaster distributes the events of recorders to listeners. Each listener has a goroutine and a queue of its
// own, so that a slow one does not block the others. The returned watches carry no events: Stop ends the listener, and
// the channel is closed when it has ended.
type EventBroadcaster interface {
	// StartEventWatcher calls a function with each event from now on. The function may keep and modify the event.
	StartEventWatcher(eventHandler func(*corev1.Event)) watch.Interface
	// StartRecordingToSink writes events from now on to a sink, after an EventCorrelator has counted, combined and
	// filtered them.
	StartRecordingToSink(sink EventSink) watch.Interface
	// StartLogging writes a line for each event from now on.
	StartLogging(logf func(format string, args ...any)) watch.Interface
	// StartStructuredLogging logs each event from now on to the logger of the broadcaster, at a verbosity: 0 is most
	// important. If the broadcaster has no logger, it is slog.Default.
	StartStructuredLogging(verbosity int) watch.Interface
	// NewRecorder returns a recorder of events from one source. The scheme provides the kinds of objects that have none
	// set.
	NewRecorder(scheme *runtime.Scheme, source corev1.EventSource) EventRecorderLogger
	// Shutdown stops the broadcaster. Events in the queues are still handled, with one attempt to write each. See
	// Broadcaster.Shutdown.
	Shutdown()
}

// EventSink stores events, such as EventSinkImpl of the packages kubernetes/typed/core/v1 and events/v1. It must put an
// event into the event's namespace, and return what an API client would, errors included.
//
// It is called by one goroutine. It should also implement [ContextEventSink], so that its writes can be cancelled.
type EventSink interface {
	Create(event *corev1.Event) (*corev1.Event, error)
	Update(event *corev1.Event) (*corev1.Event, error)
	// Patch updates an event. oldEvent has the count and the time that the strategic merge patch in data sets.
	Patch(oldEvent *corev1.Event, data []byte) (*corev1.Event, error)
}

// ContextEventSink is an [EventSink] whose writes take a context. They have a timeout (Config.WriteTimeout), and are
// cancelled when the listener is stopped.
type ContextEventSink interface {
	EventSink
	CreateWithContext(ctx context.Context, event *corev1.Event) (*corev1.Event, error)
	PatchWithContext(ctx context.Context, oldEvent *corev1.Event, data []byte) (*corev1.Event, error)
}

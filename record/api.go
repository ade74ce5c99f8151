package record

import (
	"context"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// EventRecorder tells about what happens to objects. No method waits for anything, and none returns an error: what cannot be
// recorded is counted in Stats, and told to the logger.
//
// The object is one of the API or an ObjectReference; the event is in its namespace, or in "default" if it has none. The
// type is Normal or Warning. The reason is a word in CamelCase that programs can compare. The message is for people.
type EventRecorder interface {
	// Event records that something happened to an object.
	Event(object runtime.Object, eventtype, reason, message string)
	// Eventf is Event with fmt.Sprintf for the message.
	Eventf(object runtime.Object, eventtype, reason, messageFmt string, args ...any)
	// AnnotatedEventf is Eventf, and the event has annotations.
	AnnotatedEventf(object runtime.Object, annotations map[string]string, eventtype, reason, messageFmt string, args ...any)
}

// EventRecorderLogger is an EventRecorder that can be told where to complain.
type EventRecorderLogger interface {
	EventRecorder
	// WithLogger returns a recorder that tells this logger about what it cannot record. It costs next to nothing.
	WithLogger(logger logr.Logger) EventRecorderLogger
}

// EventBroadcaster takes events from recorders, and gives each of them to all who listen. Each listener has a goroutine and a
// queue of its own, so that a slow one holds up nobody else. The watches that are returned carry no events: Stop ends the
// listener, and the channel is closed when it has ended.
type EventBroadcaster interface {
	// StartEventWatcher calls a function with each event from now on. The event is the function's to keep and to change.
	StartEventWatcher(eventHandler func(*corev1.Event)) watch.Interface
	// StartRecordingToSink writes events from now on to a sink: counted, combined and limited, as EventCorrelator does.
	StartRecordingToSink(sink EventSink) watch.Interface
	// StartLogging writes a line for each event from now on.
	StartLogging(logf func(format string, args ...any)) watch.Interface
	// StartStructuredLogging tells the logger of the broadcaster about each event from now on, at a verbosity: 0 is most
	// important. If the broadcaster has no logger, it is slog.Default.
	StartStructuredLogging(verbosity int) watch.Interface
	// NewRecorder makes a recorder of events from one source. The scheme tells the kinds of objects that do not say it.
	NewRecorder(scheme *runtime.Scheme, source corev1.EventSource) EventRecorderLogger
	// Shutdown ends it all. What is in the queues is still handled, with one try to write each event. See Broadcaster.Shutdown.
	Shutdown()
}

// EventSink is where events are kept, such as EventSinkImpl of the packages kubernetes/typed/core/v1 and events/v1. It must
// put an event into the namespace that the event names, and return what a client of the API would, errors included.
//
// One goroutine calls it. It should also be a ContextEventSink, or its writes cannot be given up.
type EventSink interface {
	Create(event *corev1.Event) (*corev1.Event, error)
	Update(event *corev1.Event) (*corev1.Event, error)
	// Patch changes an event. It has the count and the time that the strategic merge patch in data would give it.
	Patch(oldEvent *corev1.Event, data []byte) (*corev1.Event, error)
}

// ContextEventSink is an EventSink whose writes end with a context. Where a sink is one, each write has a time limit
// (Config.WriteTimeout), and ends when the listener is stopped.
type ContextEventSink interface {
	EventSink
	CreateWithContext(ctx context.Context, event *corev1.Event) (*corev1.Event, error)
	PatchWithContext(ctx context.Context, oldEvent *corev1.Event, data []byte) (*corev1.Event, error)
}

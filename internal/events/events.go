// Package events has the recorders of package vedette.dev/events, which exports them as aliases: record returns one, and
// events imports record.
package events

import (
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
)

// EventRecorder records events about objects. It never blocks, and returns no error: events that cannot be recorded are
// counted and logged.
type EventRecorder interface {
	// Eventf records an event. regarding is the object that it is about, related may be another one, or nil. The type is
	// Normal or Warning. The reason is a word in CamelCase, why something was done; the action is what was done. The note
	// and its arguments are for fmt.Sprintf.
	Eventf(regarding runtime.Object, related runtime.Object, eventtype, reason, action, note string, args ...any)
}

// EventRecorderLogger is an EventRecorder with a logger.
type EventRecorderLogger interface {
	EventRecorder
	// WithLogger returns a recorder that logs events that it cannot record to logger. It is cheap.
	WithLogger(logger logr.Logger) EventRecorderLogger
}

// AnnotatedEventRecorder records events with annotations. Recorders of packages events and record do.
type AnnotatedEventRecorder interface {
	// AnnotatedEventf is like Eventf of EventRecorder, with annotations on the event.
	AnnotatedEventf(regarding runtime.Object, related runtime.Object, annotations map[string]string, eventtype, reason, action, note string, args ...any)
}

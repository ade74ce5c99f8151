package record

import (
	"fmt"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/internal/events"
)

var (
	_ events.EventRecorderLogger    = (*EventRecorderAdapter)(nil)
	_ events.AnnotatedEventRecorder = (*EventRecorderAdapter)(nil)
)

// EventRecorderAdapter is a recorder of package vedette.dev/events, which takes a related object and an action. Its events go to the same broadcaster as those of the wrapped recorder. If the recorder is another
// implementation, the related object and the action are dropped.
type EventRecorderAdapter struct {
	recorder EventRecorderLogger
}

// NewEventRecorderAdapter returns an adapter for a recorder.
func NewEventRecorderAdapter(recorder EventRecorderLogger) *EventRecorderAdapter {
	return &EventRecorderAdapter{recorder}
}

// Eventf records an event about regarding. The note and its arguments are for fmt.Sprintf.
func (a *EventRecorderAdapter) Eventf(regarding, related runtime.Object, eventtype, reason, action, note string, args ...any) {
	a.AnnotatedEventf(regarding, related, nil, eventtype, reason, action, note, args...)
}

// AnnotatedEventf is like Eventf, with annotations on the event.
func (a *EventRecorderAdapter) AnnotatedEventf(regarding, related runtime.Object, annotations map[string]string,
	eventtype, reason, action, note string, args ...any) {
	if own, ok := a.recorder.(*recorder); ok {
		message := fmt.Sprintf(note, args...)
		own.record(regarding, related, happening{
			annotations: annotations, kind: eventtype, reason: reason, action: action, message: message,
		})
		return
	}
	a.recorder.AnnotatedEventf(regarding, annotations, eventtype, reason, note, args...)
}

// WithLogger returns an adapter that logs events that it cannot record to logger.
func (a *EventRecorderAdapter) WithLogger(logger logr.Logger) events.EventRecorderLogger {
	return &EventRecorderAdapter{a.recorder.WithLogger(logger)}
}

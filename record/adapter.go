package record

import (
	"fmt"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
)

// EventRecorderAdapter is a recorder with the signatures of client-go's newer one, tools/events: with a second object that is
// related, and the action that was taken. Its events go where those of the recorder go that it is made of. With a
// recorder of another make, the related object and the action are left out.
type EventRecorderAdapter struct {
	recorder EventRecorderLogger
}

// NewEventRecorderAdapter makes an adapter of a recorder.
func NewEventRecorderAdapter(recorder EventRecorderLogger) *EventRecorderAdapter {
	return &EventRecorderAdapter{recorder}
}

// Eventf records an event about regarding. The note and its arguments are for fmt.Sprintf.
func (a *EventRecorderAdapter) Eventf(regarding, related runtime.Object, eventtype, reason, action, note string, args ...any) {
	a.AnnotatedEventf(regarding, related, nil, eventtype, reason, action, note, args...)
}

// AnnotatedEventf is Eventf, and the event has annotations.
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

// WithLogger returns an adapter that tells this logger about what it cannot record.
func (a *EventRecorderAdapter) WithLogger(logger logr.Logger) *EventRecorderAdapter {
	return &EventRecorderAdapter{a.recorder.WithLogger(logger)}
}

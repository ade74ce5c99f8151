package events

import (
	"fmt"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
)

// FakeRecorder is a recorder for tests. It sends each event to a channel as text: the type, the reason and the note, and
// with Verbose also the action, the kinds of the objects and the annotations. It blocks while the channel is full, as in
// client-go. Without a channel, as in the zero value, events are dropped.
type FakeRecorder struct {
	Events  chan string
	Verbose bool
}

var (
	_ EventRecorderLogger    = (*FakeRecorder)(nil)
	_ AnnotatedEventRecorder = (*FakeRecorder)(nil)
)

// NewFakeRecorder returns a FakeRecorder with a channel of this size.
func NewFakeRecorder(bufferSize int) *FakeRecorder {
	return &FakeRecorder{Events: make(chan string, bufferSize)}
}

// Eventf sends an event to the channel.
func (f *FakeRecorder) Eventf(regarding runtime.Object, related runtime.Object, eventtype, reason, action, note string, args ...any) {
	f.AnnotatedEventf(regarding, related, nil, eventtype, reason, action, note, args...)
}

// AnnotatedEventf sends an event to the channel.
func (f *FakeRecorder) AnnotatedEventf(regarding runtime.Object, related runtime.Object, annotations map[string]string, eventtype, reason, action, note string, args ...any) {
	if f.Events == nil {
		return
	}
	message := fmt.Sprintf(note, args...)
	if !f.Verbose {
		f.Events <- eventtype + " " + reason + " " + message
		return
	}
	text := eventtype + " " + reason + " " + action + " " + message + kindOf(regarding) + kindOf(related)
	if len(annotations) > 0 {
		text += fmt.Sprintf(" %v", annotations)
	}
	f.Events <- text
}

// WithLogger returns the recorder itself, which does not log.
func (f *FakeRecorder) WithLogger(logr.Logger) EventRecorderLogger { return f }

// kindOf returns the kind of an object in the format of client-go's fake, or nothing if it does not say.
func kindOf(object runtime.Object) string {
	if object == nil {
		return ""
	}
	gvk := object.GetObjectKind().GroupVersionKind()
	if gvk.Empty() {
		return ""
	}
	return fmt.Sprintf(" {kind=%s,apiVersion=%s}", gvk.Kind, gvk.GroupVersion())
}

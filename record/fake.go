package record

import (
	"fmt"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
)

// FakeRecorder is a recorder for tests. It sends each event to a channel as text: the type, the reason and the message,
// the object if IncludeObject is set, and annotations if there are any. It blocks while the channel is full, as in
// client-go. Without a channel, as in the zero value, events are dropped.
type FakeRecorder struct {
	Events chan string

	IncludeObject bool
}

var _ EventRecorderLogger = (*FakeRecorder)(nil)

// NewFakeRecorder returns a [FakeRecorder] with a channel of this size.
func NewFakeRecorder(bufferSize int) *FakeRecorder {
	return &FakeRecorder{Events: make(chan string, bufferSize)}
}

// Event sends an event to the channel.
func (f *FakeRecorder) Event(object runtime.Object, eventtype, reason, message string) {
	f.write(object, nil, eventtype, reason, message)
}

// Eventf sends an event to the channel.
func (f *FakeRecorder) Eventf(object runtime.Object, eventtype, reason, messageFmt string, args ...any) {
	f.write(object, nil, eventtype, reason, fmt.Sprintf(messageFmt, args...))
}

// AnnotatedEventf sends an event to the channel.
func (f *FakeRecorder) AnnotatedEventf(object runtime.Object, annotations map[string]string, eventtype, reason, messageFmt string, args ...any) {
	f.write(object, annotations, eventtype, reason, fmt.Sprintf(messageFmt, args...))
}

// WithLogger returns the recorder itself, which does not log.
func (f *FakeRecorder) WithLogger(logr.Logger) EventRecorderLogger { return f }

func (f *FakeRecorder) write(object runtime.Object, annotations map[string]string, eventtype, reason, message string) {
	if f.Events == nil {
		return
	}
	text := eventtype + " " + reason + " " + message
	if f.IncludeObject {
		text += involved(object)
	}
	if len(annotations) > 0 {
		text += fmt.Sprintf(" %v", annotations)
	}
	f.Events <- text
}

// involved returns the object in the format of client-go's fake.
func involved(object runtime.Object) string {
	if object == nil {
		return " involvedObject{}"
	}
	gvk := object.GetObjectKind().GroupVersionKind()
	return fmt.Sprintf(" involvedObject{kind=%s,apiVersion=%s}", gvk.Kind, gvk.GroupVersion())
}

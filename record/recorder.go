package record

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/reference"
)

// recorder creates events of one source.
type recorder struct {
	b      *Broadcaster
	scheme *runtime.Scheme
	source corev1.EventSource
	logger *slog.Logger
}

// NewRecorder returns a recorder of events from one source. The scheme provides the kinds of objects that have none
// set; it may be nil if all have.
func (b *Broadcaster) NewRecorder(scheme *runtime.Scheme, source corev1.EventSource) EventRecorderLogger {
	return &recorder{b: b, scheme: scheme, source: source, logger: b.config.Logger}
}

func (r *recorder) WithLogger(logger logr.Logger) EventRecorderLogger {
	other := *r
	other.logger = slog.New(logr.ToSlogHandler(logger))
	return &other
}

func (r *recorder) Event(object runtime.Object, eventtype, reason, message string) {
	r.record(object, nil, happening{kind: eventtype, reason: reason, message: message})
}

func (r *recorder) Eventf(object runtime.Object, eventtype, reason, messageFmt string, args ...any) {
	r.Event(object, eventtype, reason, fmt.Sprintf(messageFmt, args...))
}

func (r *recorder) AnnotatedEventf(object runtime.Object, annotations map[string]string, eventtype, reason, messageFmt string, args ...any) {
	message := fmt.Sprintf(messageFmt, args...)
	r.record(object, nil, happening{annotations: annotations, kind: eventtype, reason: reason, message: message})
}

// record passes an event to the listeners, or logs why it cannot be recorded.
func (r *recorder) record(object, related runtime.Object, h happening) {
	err := r.try(object, related, h)
	if err == nil {
		return
	}
	r.b.counts.refused.Add(1)
	r.b.complain(r.logger, aboutRefusal, slog.LevelError, "Event not recorded", "err", err,
		"object", fmt.Sprintf("%T", object), "type", h.kind, "reason", h.reason, "text", shortened(h.message))
}

func (r *recorder) try(object, related runtime.Object, h happening) (err error) {
	if h.kind != corev1.EventTypeNormal && h.kind != corev1.EventTypeWarning {
		return fmt.Errorf("event type must be %q or %q, got %q", corev1.EventTypeNormal, corev1.EventTypeWarning, h.kind)
	}
	if h.about, err = reference.GetReference(r.scheme, object); err != nil {
		return err
	}
	if related != nil {
		// Without the related object the event is still useful. It is copied, because an ObjectReference is returned as
		// it is.
		if ref, err := reference.GetReference(r.scheme, related); err == nil {
			h.related = ref.DeepCopy()
		}
	}
	return r.b.publish(h.event(r.source, time.Now(), r.b.moment()))
}

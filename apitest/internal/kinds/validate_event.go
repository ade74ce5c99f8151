package kinds

import (
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateEvent is about events of either group. Those of the newer one are checked more strictly, and errors use the
// names of the older one.
func (k *Kind) validateEvent(obj runtime.Object, op Operation) (errs field.ErrorList) {
	event, ok := obj.(*corev1.Event)
	if newer, isNewer := obj.(*eventsv1.Event); isNewer {
		event, ok = eventFromEvents(newer), true
	}
	if !ok {
		return nil
	}
	strict := k.Group == eventsv1.GroupName
	if event.EventTime.IsZero() {
		errs = validateOldEvent(event)
	} else {
		errs = validateNewEvent(event, strict)
	}
	if strict && op == Create {
		errs = append(errs, validateStrictEvent(event)...)
	}
	return errs
}

func validateOldEvent(e *corev1.Event) field.ErrorList {
	about := e.InvolvedObject.Namespace
	if about == e.Namespace || about == "" && e.Namespace == metav1.NamespaceDefault {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("involvedObject", "namespace"), about, "does not match event.namespace")}
}

func validateNewEvent(e *corev1.Event, strict bool) (errs field.ErrorList) {
	if e.InvolvedObject.Namespace == "" && e.Namespace != metav1.NamespaceDefault && e.Namespace != metav1.NamespaceSystem {
		errs = append(errs, field.Invalid(field.NewPath("involvedObject", "namespace"), "", "does not match event.namespace"))
	}
	controller := field.NewPath("reportingComponent")
	if strict {
		controller = field.NewPath("reportingController")
	}
	if e.ReportingController == "" {
		errs = append(errs, field.Required(controller, ""))
	}
	errs = append(errs, messages(controller, e.ReportingController, validation.IsQualifiedName(e.ReportingController))...)
	for _, f := range []struct {
		name, value string
		most        int
	}{{"reportingInstance", e.ReportingInstance, 128}, {"action", e.Action, 128}, {"reason", e.Reason, 128}} {
		if f.value == "" {
			errs = append(errs, field.Required(field.NewPath(f.name), ""))
		}
		if len(f.value) > f.most {
			errs = append(errs, field.Invalid(field.NewPath(f.name), "", "can have at most 128 characters"))
		}
	}
	if len(e.Message) > 1024 {
		errs = append(errs, field.Invalid(field.NewPath("message"), "", "can have at most 1024 characters"))
	}
	return errs
}

func validateStrictEvent(e *corev1.Event) (errs field.ErrorList) {
	if e.EventTime.IsZero() {
		errs = append(errs, field.Required(field.NewPath("eventTime"), ""))
	}
	if e.Type != corev1.EventTypeNormal && e.Type != corev1.EventTypeWarning {
		errs = append(errs, field.Invalid(field.NewPath("type"), "", "has invalid value: "+e.Type))
	}
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"firstTimestamp", !e.FirstTimestamp.IsZero()}, {"lastTimestamp", !e.LastTimestamp.IsZero()},
		{"count", e.Count != 0}, {"source", e.Source != corev1.EventSource{}},
	} {
		if f.set {
			errs = append(errs, field.Invalid(field.NewPath(f.name), "", "needs to be unset"))
		}
	}
	return errs
}

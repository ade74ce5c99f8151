package v1

import (
	"cmp"
	"os"
	"strings"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// What the server takes at most, in bytes.
const (
	maxNote       = 1024
	maxReason     = 128 // of an action and an instance, too
	maxController = 63
	unknown       = "Unknown"
)

// FromCore converts an event to events.k8s.io/v1, so that a server accepts it:
//
//   - the time of the event is that of the first one, if it has no other; a count above one becomes a series, and the
//     deprecated fields for counts, times and the source are not set;
//   - the reporting controller is its source, if it is not set. A name that is not qualified is converted, and a
//     missing instance is derived from the names of the controller and the host;
//   - the action, if there is none, is the reason;
//   - a note above 1,024 bytes, and a reason, an action or an instance above 128, are truncated, with an ellipsis.
func FromCore(event *corev1.Event) *eventsv1.Event {
	reason := cmp.Or(event.Reason, event.Action, unknown)
	controller := qualified(cmp.Or(event.ReportingController, event.Source.Component, unknown))
	converted := &eventsv1.Event{
		ObjectMeta:          *event.ObjectMeta.DeepCopy(),
		EventTime:           timeOf(event),
		ReportingController: controller,
		ReportingInstance:   cut(cmp.Or(event.ReportingInstance, event.Source.Host), maxReason),
		Action:              cut(cmp.Or(event.Action, reason), maxReason),
		Reason:              cut(reason, maxReason),
		Regarding:           event.InvolvedObject,
		Related:             event.Related.DeepCopy(),
		Note:                cut(event.Message, maxNote),
		Type:                event.Type,
	}
	if converted.ReportingInstance == "" {
		converted.ReportingInstance = cut(instanceOf(controller), maxReason)
	}
	if event.Count > 1 || event.Series != nil && event.Series.Count > 1 {
		converted.Series = seriesOf(event)
	}
	return converted
}

// ToCore makes the core/v1 form of an event, with the count and the times of a series in the fields of old.
func ToCore(event *eventsv1.Event) *corev1.Event {
	converted := &corev1.Event{
		ObjectMeta:          *event.ObjectMeta.DeepCopy(),
		InvolvedObject:      event.Regarding,
		Reason:              event.Reason,
		Message:             event.Note,
		Source:              event.DeprecatedSource,
		FirstTimestamp:      event.DeprecatedFirstTimestamp,
		LastTimestamp:       event.DeprecatedLastTimestamp,
		Count:               max(event.DeprecatedCount, 1),
		Type:                event.Type,
		EventTime:           event.EventTime,
		Action:              event.Action,
		Related:             event.Related.DeepCopy(),
		ReportingController: event.ReportingController,
		ReportingInstance:   event.ReportingInstance,
	}
	if converted.FirstTimestamp.IsZero() {
		converted.FirstTimestamp = metav1.Time(event.EventTime)
	}
	if converted.LastTimestamp.IsZero() {
		converted.LastTimestamp = converted.FirstTimestamp
	}
	if series := event.Series; series != nil {
		converted.Series = &corev1.EventSeries{Count: series.Count, LastObservedTime: series.LastObservedTime}
		converted.Count = max(converted.Count, series.Count)
		converted.LastTimestamp = metav1.Time(series.LastObservedTime)
	}
	if converted.Source == (corev1.EventSource{}) {
		converted.Source = corev1.EventSource{Component: event.ReportingController, Host: event.ReportingInstance}
	}
	return converted
}

func timeOf(event *corev1.Event) metav1.MicroTime {
	for _, t := range []metav1.MicroTime{
		event.EventTime, metav1.MicroTime(event.FirstTimestamp), metav1.MicroTime(event.LastTimestamp),
	} {
		if !t.IsZero() {
			return t
		}
	}
	return metav1.NowMicro()
}

// seriesOf counts what is recorded in either way. The server wants two at least, and the time of the last.
func seriesOf(event *corev1.Event) *eventsv1.EventSeries {
	series := &eventsv1.EventSeries{Count: max(event.Count, 2), LastObservedTime: metav1.MicroTime(event.LastTimestamp)}
	if s := event.Series; s != nil {
		series.Count = max(series.Count, s.Count)
		if series.LastObservedTime.Before(&s.LastObservedTime) {
			series.LastObservedTime = s.LastObservedTime
		}
	}
	if series.LastObservedTime.IsZero() {
		series.LastObservedTime = timeOf(event)
	}
	return series
}

// instanceOf names the instance of a controller that does not, as client-go's recorder for this version does.
func instanceOf(controller string) string {
	host, err := os.Hostname()
	if err != nil || host == "" {
		return controller
	}
	return controller + "-" + host
}

// qualified makes a qualified name of a controller's: an optional domain with a slash, then up to 63 letters, digits and
// -_. in between.
func qualified(name string) string {
	if len(validation.IsQualifiedName(name)) == 0 {
		return name
	}
	clean := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r)) {
			return r
		}
		return '-'
	}, name)
	clean = strings.Trim(clean, "-_.")
	if len(clean) > maxController {
		clean = strings.TrimRight(clean[:maxController], "-_.")
	}
	return cmp.Or(clean, unknown)
}

const ellipsis = "…"

// cut shortens a text to a number of bytes, between two characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most - len(ellipsis)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + ellipsis
}

package v1

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/rest"
)

// EventSinkImpl is where a recorder of events can write them to: the API server, by events.k8s.io/v1, each event in its
// own namespace. It takes and returns the events of core/v1, which recorders make; a server keeps both forms as one.
// Interface is the group's client, such as clientset.EventsV1().
//
// This version is stricter than core/v1. What it demands and an event lacks is filled in, and what is too long for it is
// cut: see FromCore. Of an event that was written, only the count and the time of the last one can be changed, not the
// text: an event that stands for several similar ones keeps the text of the first.
type EventSinkImpl struct {
	Interface EventsGetter
}

// Create writes a new event.
func (e *EventSinkImpl) Create(event *corev1.Event) (*corev1.Event, error) {
	return e.CreateWithContext(context.Background(), event)
}

// Update replaces an event.
func (e *EventSinkImpl) Update(event *corev1.Event) (*corev1.Event, error) {
	return e.UpdateWithContext(context.Background(), event)
}

// Patch writes how often an event has happened and when it last did, as the event says. The data, a patch of core/v1, has
// nothing else that could be changed here.
func (e *EventSinkImpl) Patch(event *corev1.Event, data []byte) (*corev1.Event, error) {
	return e.PatchWithContext(context.Background(), event, data)
}

// CreateWithContext is Create with an end.
func (e *EventSinkImpl) CreateWithContext(ctx context.Context, event *corev1.Event) (*corev1.Event, error) {
	events, err := e.at(event, "create")
	if err != nil {
		return nil, err
	}
	return toCore(events.Create(ctx, FromCore(event), metav1.CreateOptions{}))
}

// UpdateWithContext is Update with an end.
func (e *EventSinkImpl) UpdateWithContext(ctx context.Context, event *corev1.Event) (*corev1.Event, error) {
	events, err := e.at(event, "update")
	if err != nil {
		return nil, err
	}
	return toCore(events.Update(ctx, FromCore(event), metav1.UpdateOptions{}))
}

// PatchWithContext is Patch with an end.
func (e *EventSinkImpl) PatchWithContext(ctx context.Context, event *corev1.Event, _ []byte) (*corev1.Event, error) {
	events, err := e.at(event, "patch")
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(map[string]any{"series": seriesOf(event)})
	if err != nil {
		return nil, fmt.Errorf("cannot patch event %s/%s: %w", event.Namespace, event.Name, err)
	}
	return toCore(events.Patch(ctx, event.Name, types.StrategicMergePatchType, data, metav1.PatchOptions{}))
}

// at is the client for the event's namespace. Without one nothing is sent, and asking again would not help.
func (e *EventSinkImpl) at(event *corev1.Event, verb string) (EventInterface, error) {
	if event.Namespace == "" {
		return nil, &rest.RequestConstructionError{Err: fmt.Errorf("cannot %s event %q: it has no namespace", verb, event.Name)}
	}
	return e.Interface.Events(event.Namespace), nil
}

func toCore(event *eventsv1.Event, err error) (*corev1.Event, error) {
	if err != nil {
		return nil, err
	}
	return ToCore(event), nil
}

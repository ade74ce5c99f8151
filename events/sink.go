package events

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	typedeventsv1 "vedette.dev/kubernetes/typed/events/v1"
	"vedette.dev/record"
	"vedette.dev/rest"
)

// EventSinkImpl is an EventSink that writes to the API server. Interface is the group's client, such as
// clientset.EventsV1().
type EventSinkImpl struct {
	Interface typedeventsv1.EventsV1Interface
}

var _ EventSink = (*EventSinkImpl)(nil)

// Create writes a new event.
func (e *EventSinkImpl) Create(ctx context.Context, event *eventsv1.Event) (*eventsv1.Event, error) {
	if err := hasNamespace(event, "create"); err != nil {
		return nil, err
	}
	return e.Interface.Events(event.Namespace).Create(ctx, event, metav1.CreateOptions{})
}

// Update replaces an event.
func (e *EventSinkImpl) Update(ctx context.Context, event *eventsv1.Event) (*eventsv1.Event, error) {
	if err := hasNamespace(event, "update"); err != nil {
		return nil, err
	}
	return e.Interface.Events(event.Namespace).Update(ctx, event, metav1.UpdateOptions{})
}

// Patch sends a strategic merge patch.
func (e *EventSinkImpl) Patch(ctx context.Context, event *eventsv1.Event, data []byte) (*eventsv1.Event, error) {
	if err := hasNamespace(event, "patch"); err != nil {
		return nil, err
	}
	return e.Interface.Events(event.Namespace).Patch(ctx, event.Name, types.StrategicMergePatchType, data, metav1.PatchOptions{})
}

// hasNamespace returns an error that is not retried.
func hasNamespace(event *eventsv1.Event, verb string) error {
	if event.Namespace != "" {
		return nil
	}
	return &rest.RequestConstructionError{Err: fmt.Errorf("cannot %s event %q: it has no namespace", verb, event.Name)}
}

// sink is an EventSink as record wants it.
type sink struct{ to EventSink }

var _ record.ContextEventSink = sink{}

func (s sink) CreateWithContext(ctx context.Context, event *corev1.Event) (*corev1.Event, error) {
	return toCore(s.to.Create(ctx, typedeventsv1.FromCore(event)))
}

// PatchWithContext writes the count and the time of the last event. Nothing else of an event can be changed.
func (s sink) PatchWithContext(ctx context.Context, event *corev1.Event, _ []byte) (*corev1.Event, error) {
	converted := typedeventsv1.FromCore(event)
	data, err := json.Marshal(map[string]any{"series": converted.Series})
	if err != nil {
		return nil, err
	}
	return toCore(s.to.Patch(ctx, converted, data))
}

func (s sink) Create(event *corev1.Event) (*corev1.Event, error) {
	return s.CreateWithContext(context.Background(), event)
}

func (s sink) Update(event *corev1.Event) (*corev1.Event, error) {
	return toCore(s.to.Update(context.Background(), typedeventsv1.FromCore(event)))
}

func (s sink) Patch(event *corev1.Event, data []byte) (*corev1.Event, error) {
	return s.PatchWithContext(context.Background(), event, data)
}

func toCore(event *eventsv1.Event, err error) (*corev1.Event, error) {
	if err != nil || event == nil {
		return nil, err
	}
	return typedeventsv1.ToCore(event), nil
}

package v1

import (
	"context"

	corev1 "k8s.io/api/core/v1"
)

// EventSinkImpl is where a recorder of events can write them to: the API server, each event in its own namespace.
// Interface is the client for events of all namespaces, such as clientset.CoreV1().Events(""). Package record uses the
// methods with a context, so that a write can be given up.
type EventSinkImpl struct {
	Interface EventInterface
}

// Create writes a new event.
func (e *EventSinkImpl) Create(event *corev1.Event) (*corev1.Event, error) {
	return e.Interface.CreateWithEventNamespace(event)
}

// Update replaces an event.
func (e *EventSinkImpl) Update(event *corev1.Event) (*corev1.Event, error) {
	return e.Interface.UpdateWithEventNamespace(event)
}

// Patch changes an event.
func (e *EventSinkImpl) Patch(event *corev1.Event, data []byte) (*corev1.Event, error) {
	return e.Interface.PatchWithEventNamespace(event, data)
}

// CreateWithContext is Create with an end.
func (e *EventSinkImpl) CreateWithContext(ctx context.Context, event *corev1.Event) (*corev1.Event, error) {
	return e.Interface.CreateWithEventNamespaceWithContext(ctx, event)
}

// UpdateWithContext is Update with an end.
func (e *EventSinkImpl) UpdateWithContext(ctx context.Context, event *corev1.Event) (*corev1.Event, error) {
	return e.Interface.UpdateWithEventNamespaceWithContext(ctx, event)
}

// PatchWithContext is Patch with an end.
func (e *EventSinkImpl) PatchWithContext(ctx context.Context, event *corev1.Event, data []byte) (*corev1.Event, error) {
	return e.Interface.PatchWithEventNamespaceWithContext(ctx, event, data)
}

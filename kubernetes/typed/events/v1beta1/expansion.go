package v1beta1

import (
	"context"
	"fmt"

	eventsv1beta1 "k8s.io/api/events/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// EventExpansion has the additional methods of events. The namespace of the request is that of the event; a client for
// one namespace rejects events of another.
type EventExpansion interface {
	// CreateWithEventNamespace is Create in the event's namespace.
	CreateWithEventNamespace(event *eventsv1beta1.Event) (*eventsv1beta1.Event, error)
	// UpdateWithEventNamespace is Update in the event's namespace.
	UpdateWithEventNamespace(event *eventsv1beta1.Event) (*eventsv1beta1.Event, error)
	// PatchWithEventNamespace is a strategic merge patch of the event, in its namespace.
	PatchWithEventNamespace(event *eventsv1beta1.Event, data []byte) (*eventsv1beta1.Event, error)
}

func (c events) CreateWithEventNamespace(event *eventsv1beta1.Event) (*eventsv1beta1.Event, error) {
	there, err := c.at(event, "create")
	if err != nil {
		return nil, err
	}
	return there.Create(context.Background(), event, metav1.CreateOptions{})
}

func (c events) UpdateWithEventNamespace(event *eventsv1beta1.Event) (*eventsv1beta1.Event, error) {
	there, err := c.at(event, "update")
	if err != nil {
		return nil, err
	}
	return there.Update(context.Background(), event, metav1.UpdateOptions{})
}

func (c events) PatchWithEventNamespace(event *eventsv1beta1.Event, data []byte) (*eventsv1beta1.Event, error) {
	there, err := c.at(event, "patch")
	if err != nil {
		return nil, err
	}
	return there.Patch(context.Background(), event.Name, types.StrategicMergePatchType, data, metav1.PatchOptions{})
}

// at is the client for the event's namespace.
func (c events) at(event *eventsv1beta1.Event, verb string) (EventInterface, error) {
	if own := c.GetNamespace(); own != "" && event.Namespace != own {
		return nil, fmt.Errorf("cannot %s an event of namespace %q with the client of namespace %q", verb, event.Namespace, own)
	}
	return New(c.GetClient()).Events(event.Namespace), nil
}

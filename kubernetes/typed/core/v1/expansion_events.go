package v1

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/reference"
	"vedette.dev/rest"
)

// EventExpansion has the additional methods of events.
//
// The namespace of the request is that of the event, and a client for one namespace rejects events of another. Search
// finds events by the object they are about.
type EventExpansion interface {
	// CreateWithEventNamespace is CreateWithEventNamespaceWithContext without an end.
	//
	// Deprecated: use CreateWithEventNamespaceWithContext.
	CreateWithEventNamespace(event *corev1.Event) (*corev1.Event, error)
	// UpdateWithEventNamespace is UpdateWithEventNamespaceWithContext without an end.
	//
	// Deprecated: use UpdateWithEventNamespaceWithContext.
	UpdateWithEventNamespace(event *corev1.Event) (*corev1.Event, error)
	// PatchWithEventNamespace is PatchWithEventNamespaceWithContext without an end.
	//
	// Deprecated: use PatchWithEventNamespaceWithContext.
	PatchWithEventNamespace(event *corev1.Event, data []byte) (*corev1.Event, error)
	// Search is SearchWithContext without an end.
	//
	// Deprecated: use SearchWithContext.
	Search(scheme *runtime.Scheme, objOrRef runtime.Object) (*corev1.EventList, error)

	// CreateWithEventNamespaceWithContext is Create in the event's namespace.
	CreateWithEventNamespaceWithContext(ctx context.Context, event *corev1.Event) (*corev1.Event, error)
	// UpdateWithEventNamespaceWithContext is Update in the event's namespace.
	UpdateWithEventNamespaceWithContext(ctx context.Context, event *corev1.Event) (*corev1.Event, error)
	// PatchWithEventNamespaceWithContext is a strategic merge patch of the event, in its namespace.
	PatchWithEventNamespaceWithContext(ctx context.Context, event *corev1.Event, data []byte) (*corev1.Event, error)
	// SearchWithContext lists the events about an object, or about the one that a reference names. The scheme provides
	// the kind of an object that has none set.
	SearchWithContext(ctx context.Context, scheme *runtime.Scheme, objOrRef runtime.Object) (*corev1.EventList, error)
	// GetFieldSelector selects events by what they are about. A nil means any.
	GetFieldSelector(involvedObjectName, involvedObjectNamespace, involvedObjectKind, involvedObjectUID *string) fields.Selector
}

func (c events) CreateWithEventNamespace(event *corev1.Event) (*corev1.Event, error) {
	return c.CreateWithEventNamespaceWithContext(context.Background(), event)
}

func (c events) UpdateWithEventNamespace(event *corev1.Event) (*corev1.Event, error) {
	return c.UpdateWithEventNamespaceWithContext(context.Background(), event)
}

func (c events) PatchWithEventNamespace(event *corev1.Event, data []byte) (*corev1.Event, error) {
	return c.PatchWithEventNamespaceWithContext(context.Background(), event, data)
}

func (c events) Search(scheme *runtime.Scheme, objOrRef runtime.Object) (*corev1.EventList, error) {
	return c.SearchWithContext(context.Background(), scheme, objOrRef)
}

func (c events) CreateWithEventNamespaceWithContext(ctx context.Context, event *corev1.Event) (*corev1.Event, error) {
	there, err := c.at(event, "create")
	if err != nil {
		return nil, err
	}
	return there.Create(ctx, event, metav1.CreateOptions{})
}

func (c events) UpdateWithEventNamespaceWithContext(ctx context.Context, event *corev1.Event) (*corev1.Event, error) {
	there, err := c.at(event, "update")
	if err != nil {
		return nil, err
	}
	return there.Update(ctx, event, metav1.UpdateOptions{})
}

func (c events) PatchWithEventNamespaceWithContext(ctx context.Context, event *corev1.Event, data []byte) (*corev1.Event, error) {
	there, err := c.at(event, "patch")
	if err != nil {
		return nil, err
	}
	return there.Patch(ctx, event.Name, types.StrategicMergePatchType, data, metav1.PatchOptions{})
}

// at is the client for the event's namespace.
func (c events) at(event *corev1.Event, verb string) (EventInterface, error) {
	if own := c.GetNamespace(); own != "" && event.Namespace != own {
		// Nothing is sent, and asking again would not help. Recorders of events know this error.
		return nil, &rest.RequestConstructionError{
			Err: fmt.Errorf("cannot %s an event of namespace %q with the client of namespace %q", verb, event.Namespace, own),
		}
	}
	return New(c.GetClient()).Events(event.Namespace), nil
}

func (c events) SearchWithContext(ctx context.Context, scheme *runtime.Scheme, objOrRef runtime.Object) (*corev1.EventList, error) {
	ref, err := reference.GetReference(scheme, objOrRef)
	if err != nil {
		return nil, err
	}
	if own := c.GetNamespace(); own != "" && ref.Namespace != own {
		return nil, fmt.Errorf("the client of namespace %q cannot find events of namespace %q", own, ref.Namespace)
	}
	selector := c.GetFieldSelector(&ref.Name, &ref.Namespace, unlessEmpty(ref.Kind), unlessEmpty(string(ref.UID)))
	return c.List(ctx, metav1.ListOptions{FieldSelector: selector.String()})
}

func (c events) GetFieldSelector(involvedObjectName, involvedObjectNamespace, involvedObjectKind, involvedObjectUID *string) fields.Selector {
	// In this order, so that the same question is always asked in the same words.
	var terms []fields.Selector
	for _, term := range []struct {
		field string
		value *string
	}{
		{"involvedObject.kind", involvedObjectKind},
		{"involvedObject.name", involvedObjectName},
		{"involvedObject.namespace", involvedObjectNamespace},
		{"involvedObject.uid", involvedObjectUID},
	} {
		if term.value != nil {
			terms = append(terms, fields.OneTermEqualSelector(term.field, *term.value))
		}
	}
	return fields.AndSelectors(terms...)
}

func unlessEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// GetInvolvedObjectNameFieldLabel returns the field of an event with the name of the object it is about.
//
// Deprecated: it is "involvedObject.name" in all versions.
func GetInvolvedObjectNameFieldLabel(version string) string {
	return "involvedObject.name"
}

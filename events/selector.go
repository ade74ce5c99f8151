package events

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	eventsv1beta1 "k8s.io/api/events/v1beta1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// GetFieldSelector returns the selector of the events about an object, for lists and watches of events in a version. What
// is empty is not selected by.
func GetFieldSelector(eventsGroupVersion schema.GroupVersion, regardingGroupVersionKind schema.GroupVersionKind, regardingName string, regardingUID types.UID) (fields.Selector, error) {
	var object string
	switch eventsGroupVersion {
	case corev1.SchemeGroupVersion:
		object = "involvedObject."
	case eventsv1.SchemeGroupVersion, eventsv1beta1.SchemeGroupVersion:
		object = "regarding."
	default:
		return nil, fmt.Errorf("%s is not a version of events", eventsGroupVersion)
	}
	var selectors []fields.Selector
	for _, field := range []struct{ name, value string }{
		{"apiVersion", regardingGroupVersionKind.GroupVersion().String()},
		{"kind", regardingGroupVersionKind.Kind},
		{"name", regardingName},
		{"uid", string(regardingUID)},
	} {
		if field.value != "" {
			selectors = append(selectors, fields.OneTermEqualSelector(object+field.name, field.value))
		}
	}
	return fields.AndSelectors(selectors...), nil
}

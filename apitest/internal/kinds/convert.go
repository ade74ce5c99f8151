package kinds

import (
	"encoding/json"
	"fmt"
	"reflect"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Convert returns obj as one of another version of the same resource, or as an unchanged copy if it is one already. obj
// is not changed, and the two share nothing.
func (r *Registry) Convert(obj runtime.Object, to *Kind) (runtime.Object, error) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return convertUnstructured(u, to)
	}
	var out runtime.Object
	switch from := obj.DeepCopyObject().(type) {
	case *corev1.Event:
		out = eventToEvents(from)
	case *eventsv1.Event:
		out = eventFromEvents(from)
	case *autoscalingv1.HorizontalPodAutoscaler:
		out = autoscalerToV2(from)
	case *autoscalingv2.HorizontalPodAutoscaler:
		out = autoscalerToV1(from)
	}
	want := to.New()
	switch {
	case sameType(obj, want):
		out = obj.DeepCopyObject()
	case out == nil || !sameType(out, want):
		return convertOld(obj, out, to)
	}
	setKind(out, to)
	return out, nil
}

func sameType(a, b runtime.Object) bool { return reflect.TypeOf(a) == reflect.TypeOf(b) }

// setKind names the new version in objects that name one. Objects that came from Go code often do not.
func setKind(obj runtime.Object, to *Kind) {
	if !obj.GetObjectKind().GroupVersionKind().Empty() {
		obj.GetObjectKind().SetGroupVersionKind(to.GroupVersionKind)
	}
}

// convertUnstructured is for custom resources, whose versions differ in name only (conversion strategy None), and for
// unstructured objects of kinds that have Go types.
func convertUnstructured(u *unstructured.Unstructured, to *Kind) (runtime.Object, error) {
	want := to.New()
	if _, ok := want.(*unstructured.Unstructured); ok {
		out := u.DeepCopy()
		out.SetGroupVersionKind(to.GroupVersionKind)
		return out, nil
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, want); err != nil {
		return nil, fmt.Errorf("converting %s %q to %s: %w", u.GetKind(), u.GetName(), to.GroupVersionKind, err)
	}
	want.GetObjectKind().SetGroupVersionKind(to.GroupVersionKind)
	return want, nil
}

// convertOld is for versions that are not served by default. out is the object in another, better supported version, or
// nil. Of events, only the old versions of the newer group agree with it.
func convertOld(obj, out runtime.Object, to *Kind) (runtime.Object, error) {
	if to.Kind == "Event" && to.Group == "" {
		newer := &eventsv1.Event{}
		if err := copyJSON(obj, newer); err != nil {
			return nil, err
		}
		out = eventFromEvents(newer)
		setKind(out, to)
		return out, nil
	}
	if _, isEvent := out.(*eventsv1.Event); isEvent {
		return throughJSON(out, to)
	}
	return throughJSON(obj, to)
}

func copyJSON(from, to runtime.Object) error {
	data, err := json.Marshal(from)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("converting %T to %T: %w", from, to, err)
	}
	return nil
}

// throughJSON is for versions that agree in what they have in common.
func throughJSON(obj runtime.Object, to *Kind) (runtime.Object, error) {
	out := to.New()
	if err := copyJSON(obj, out); err != nil {
		return nil, err
	}
	setKind(out, to)
	return out, nil
}

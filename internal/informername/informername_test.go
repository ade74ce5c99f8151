package informername

import (
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestOf(t *testing.T) {
	for want, key := range map[string]any{
		"core/v1.Pod":         reflect.TypeFor[*corev1.Pod](),
		"core/v1.Node":        reflect.TypeFor[corev1.Node](),
		"apps/v1/deployments": schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"},
		"v1/pods":             schema.GroupVersionResource{Version: "v1", Resource: "pods"},
		"other":               "other",
	} {
		if got := Of(key); got != want {
			t.Errorf("Of(%v) = %q, want %q", key, got, want)
		}
	}
}

func TestOfObject(t *testing.T) {
	widget := &unstructured.Unstructured{}
	widget.SetGroupVersionKind(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"})
	for want, obj := range map[string]runtime.Object{
		"core/v1.Pod":                          &corev1.Pod{},
		"core/v1.Pod (metadata)":               &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}},
		"example.com/v1.Widget (unstructured)": widget,
	} {
		if got := OfObject(obj); got != want {
			t.Errorf("OfObject(%T) = %q, want %q", obj, got, want)
		}
	}
}

package informername

import (
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
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

package testing_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	clienttesting "vedette.dev/testing"
)

// TestTrackerServesItsScheme: a kind of the scheme that has no objects can be listed and watched, as informers do, also
// under a plural that cannot be guessed.
func TestTrackerServesItsScheme(t *testing.T) {
	gv := schema.GroupVersion{Group: "example.com", Version: "v1"}
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(gv.WithKind("Widget"), &corev1.ConfigMap{})
	scheme.AddKnownTypeWithName(gv.WithKind("WidgetList"), &corev1.ConfigMapList{})
	tracker := clienttesting.NewObjectTracker(scheme, nil)
	for _, resource := range []string{"widgets", "widgetses"} {
		gvr := gv.WithResource(resource)
		list, err := tracker.List(gvr, gv.WithKind("Widget"), "ns")
		if err != nil || len(list.(*corev1.ConfigMapList).Items) != 0 {
			t.Errorf("%s: %v, %v", resource, list, err)
		}
	}
	w, err := clienttesting.NewObjectTracker(scheme, nil).Watch(gv.WithResource("widgets"), "ns", metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.Stop()
}

package patch

import (
	"encoding/json"
	"net/http"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"vedette.dev/apitest/internal/kinds"
)

// compareScale does with a scale what a server does: make it of the object, patch it, and write back who owns it.
func compareScale(t *testing.T, c testCase, want answer, kind *kinds.Kind, p Patcher) {
	t.Helper()
	replicas := []string{"spec", "replicas"}
	if kind.Custom {
		replicas = []string{"spec", "size"}
	}
	parent := &unstructured.Unstructured{}
	if err := json.Unmarshal(want.Live, parent); err != nil {
		t.Fatal(err)
	}
	scale := scaleOf(t, kind, parent, replicas)
	got, warnings, err := perform(c, scale, kind, p)
	if len(warnings) > 0 {
		t.Errorf("warnings %q", warnings)
	}
	if want.Code >= http.StatusBadRequest {
		compareStatus(t, err, want)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	number := int64(got.(*autoscalingv1.Scale).Spec.Replicas)
	if err := unstructured.SetNestedField(parent.Object, number, replicas...); err != nil {
		t.Fatal(err)
	}
	entries, err := ParentFields(kind, parent.GetManagedFields(), got.(metav1.Object).GetManagedFields(), replicas...)
	if err != nil {
		t.Fatal(err)
	}
	parent.SetManagedFields(entries)
	compareObject(t, parent, want.After)
}

func scaleOf(t *testing.T, kind *kinds.Kind, parent *unstructured.Unstructured, replicas []string) *autoscalingv1.Scale {
	t.Helper()
	scale := &autoscalingv1.Scale{}
	scale.Name, scale.Namespace, scale.UID = parent.GetName(), parent.GetNamespace(), parent.GetUID()
	scale.ResourceVersion, scale.CreationTimestamp = parent.GetResourceVersion(), parent.GetCreationTimestamp()
	number, _, err := unstructured.NestedInt64(parent.Object, replicas...)
	if err != nil {
		t.Fatal(err)
	}
	scale.Spec.Replicas = int32(number)
	scale.Status.Selector, _, _ = unstructured.NestedString(parent.Object, "spec", "selector", "matchLabels", "app")
	if scale.Status.Selector != "" {
		scale.Status.Selector = "app=" + scale.Status.Selector
	}
	if scale.ManagedFields, err = ScaleFields(kind, parent.GetManagedFields(), replicas...); err != nil {
		t.Fatal(err)
	}
	return scale
}

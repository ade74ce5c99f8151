package kinds

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// scales is the kind of what the scale subresource shows. It is not served by itself.
var scales = &Kind{GroupVersionKind: autoscalingv1.SchemeGroupVersion.WithKind("Scale"), Plural: "scales"}

// ScaleTable is the scale of an object as a table.
func ScaleTable(scale *autoscalingv1.Scale, include metav1.IncludeObjectPolicy) (*metav1.Table, error) {
	list := metav1.ListMeta{ResourceVersion: scale.ResourceVersion}
	t, err := scales.Table([]runtime.Object{scale}, list, include)
	if err != nil {
		return nil, err
	}
	t.ColumnDefinitions = scaleColumns()
	return t, nil
}

func scaleColumns() []metav1.TableColumnDefinition {
	docs := metav1.ObjectMeta{}.SwaggerDoc()
	return []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string", Format: "name", Description: docs["name"]},
		{Name: "Desired", Type: "integer", Description: autoscalingv1.ScaleSpec{}.SwaggerDoc()["replicas"]},
		{Name: "Available", Type: "integer", Description: autoscalingv1.ScaleStatus{}.SwaggerDoc()["replicas"]},
		{Name: "Age", Type: "string", Description: docs["creationTimestamp"]},
	}
}

func scaleCells(s *autoscalingv1.Scale) []any {
	return []any{s.Name, int64(s.Spec.Replicas), int64(s.Status.Replicas), age(s.CreationTimestamp)}
}

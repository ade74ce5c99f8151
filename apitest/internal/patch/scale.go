package patch

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"vedette.dev/apitest/internal/kinds"
)

// ScaleFields are the managed fields that the scale of an object has, given those of the object: who owns the number of
// replicas. replicas is where the kind keeps that number: "spec", "replicas" for all that are built in.
func ScaleFields(kind *kinds.Kind, parent []metav1.ManagedFieldsEntry, replicas ...string) ([]metav1.ManagedFieldsEntry, error) {
	return scaleHandler(kind, parent, replicas).ToSubresource()
}

// ParentFields are the managed fields of an object whose scale has got new ones.
func ParentFields(kind *kinds.Kind, parent, scale []metav1.ManagedFieldsEntry, replicas ...string) ([]metav1.ManagedFieldsEntry, error) {
	return scaleHandler(kind, parent, replicas).ToParent(scale)
}

func scaleHandler(kind *kinds.Kind, parent []metav1.ManagedFieldsEntry, replicas []string) *managedfields.ScaleHandler {
	path := fieldpath.Path{}
	for _, name := range replicas {
		path = append(path, fieldpath.PathElement{FieldName: &name})
	}
	return managedfields.NewScaleHandler(parent, kind.GroupVersion(), managedfields.ResourcePathMappings{
		kind.GroupVersion().String(): path,
	})
}

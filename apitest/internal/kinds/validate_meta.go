package kinds

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// asRecorded converts errors about metadata to those of the recorded server. The library is newer, and has other
// messages for owner references.
func asRecorded(errs field.ErrorList) field.ErrorList {
	for i, err := range errs {
		rest, ok := strings.CutPrefix(err.Field, "metadata.ownerReferences[")
		if !ok {
			continue
		}
		_, name, _ := strings.Cut(rest, "]")
		at := field.NewPath("metadata.ownerReferences" + name)
		switch {
		case err.Type != field.ErrorTypeRequired:
			errs[i].Field = at.String()
		case name == ".apiVersion":
			errs[i] = field.Invalid(at, "", "version must not be empty")
		default:
			errs[i] = field.Invalid(at, "", "must not be empty")
		}
	}
	return errs
}

// validateFinalizers adds a rule that custom resources do not have: a finalizer that is not qualified must be a known one.
func validateFinalizers(obj runtime.Object, finalizers []string) (errs field.ErrorList) {
	if _, custom := obj.(*unstructured.Unstructured); custom {
		return nil
	}
	for i, name := range finalizers {
		switch name {
		case string(corev1.FinalizerKubernetes), metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents:
			continue
		}
		if !strings.Contains(name, "/") && len(validation.IsQualifiedName(name)) == 0 {
			errs = append(errs, field.Invalid(metaPath.Child("finalizers").Index(i), name,
				"name is neither a standard finalizer name nor is it fully qualified"))
		}
	}
	return errs
}

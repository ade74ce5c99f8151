package kinds

import (
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateMore has the smaller kinds.
func validateMore(obj runtime.Object) (errs field.ErrorList) {
	switch o := obj.(type) {
	case *coordinationv1.Lease:
		return validateLease(o)
	case *policyv1.PodDisruptionBudget:
		return validateBudget(o)
	case *autoscalingv1.HorizontalPodAutoscaler:
		return validateAutoscaler(o.Spec.MinReplicas, o.Spec.MaxReplicas, autoscalingv2.CrossVersionObjectReference(o.Spec.ScaleTargetRef))
	case *autoscalingv2.HorizontalPodAutoscaler:
		return validateAutoscaler(o.Spec.MinReplicas, o.Spec.MaxReplicas, o.Spec.ScaleTargetRef)
	case *storagev1.StorageClass:
		if o.Provisioner == "" {
			errs = append(errs, field.Required(field.NewPath("provisioner"), ""))
		}
	case *rbacv1.RoleBinding:
		return append(validateRoleRef(o.RoleRef, "Role", "ClusterRole"), validateSubjects(o.Subjects, true)...)
	case *rbacv1.ClusterRoleBinding:
		return append(validateRoleRef(o.RoleRef, "ClusterRole"), validateSubjects(o.Subjects, false)...)
	}
	return errs
}

func validateLease(l *coordinationv1.Lease) (errs field.ErrorList) {
	if d := l.Spec.LeaseDurationSeconds; d != nil && *d <= 0 {
		errs = append(errs, field.Invalid(specPath.Child("leaseDurationSeconds"), *d, "must be greater than 0"))
	}
	if t := l.Spec.LeaseTransitions; t != nil && *t < 0 {
		errs = append(errs, field.Invalid(specPath.Child("leaseTransitions"), *t, "must be greater than or equal to 0"))
	}
	return errs
}

func validateBudget(b *policyv1.PodDisruptionBudget) field.ErrorList {
	if b.Spec.MinAvailable == nil || b.Spec.MaxUnavailable == nil {
		return nil
	}
	// The real server shows its own type, which has no names for JSON.
	shown := struct {
		MinAvailable               *intstr.IntOrString
		Selector                   *metav1.LabelSelector
		MaxUnavailable             *intstr.IntOrString
		UnhealthyPodEvictionPolicy *policyv1.UnhealthyPodEvictionPolicyType
	}(b.Spec)
	return field.ErrorList{field.Invalid(specPath, shown, "minAvailable and maxUnavailable cannot be both set")}
}

func validateAutoscaler(least *int32, most int32, target autoscalingv2.CrossVersionObjectReference) (errs field.ErrorList) {
	if least != nil && *least < 1 {
		errs = append(errs, field.Invalid(specPath.Child("minReplicas"), *least, "must be greater than or equal to 1"))
	}
	at := specPath.Child("maxReplicas")
	switch {
	case most == 0:
		errs = append(errs, field.Required(at, "must be set and greater than 0"))
	case most < 0:
		errs = append(errs, field.Invalid(at, most, "must be greater than or equal to 1"))
	}
	if least != nil && most < *least {
		errs = append(errs, field.Invalid(at, most, "must be greater than or equal to `minReplicas`"))
	}
	ref := specPath.Child("scaleTargetRef")
	if target.Kind == "" {
		errs = append(errs, field.Required(ref.Child("kind"), ""))
	}
	if target.Name == "" {
		errs = append(errs, field.Required(ref.Child("name"), ""))
	}
	if !strings.Contains(target.APIVersion, "/") && target.Kind != "ReplicationController" {
		errs = append(errs, field.Invalid(ref.Child("apiVersion"), target.APIVersion, "apiVersion must specify API group"))
	}
	return errs
}

func validateSubjects(subjects []rbacv1.Subject, namespaced bool) (errs field.ErrorList) {
	for i, s := range subjects {
		at := field.NewPath("subjects").Index(i)
		if s.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
		}
		switch s.Kind {
		case rbacv1.ServiceAccountKind:
			if !namespaced && s.Namespace == "" {
				errs = append(errs, field.Required(at.Child("namespace"), ""))
			}
		case rbacv1.UserKind, rbacv1.GroupKind:
			if s.APIGroup != rbacv1.GroupName {
				errs = append(errs, field.NotSupported(at.Child("apiGroup"), s.APIGroup, []string{rbacv1.GroupName}))
			}
		default:
			errs = append(errs, field.NotSupported(at.Child("kind"), s.Kind,
				[]string{rbacv1.ServiceAccountKind, rbacv1.UserKind, rbacv1.GroupKind}))
		}
	}
	return errs
}

// validatePod adds to the rules about its spec those that are not for templates.
func validatePod(pod *corev1.Pod) field.ErrorList {
	errs := validatePodSpec(&pod.Spec, specPath)
	for _, list := range []struct {
		name       string
		containers []corev1.Container
	}{{"containers", pod.Spec.Containers}, {"initContainers", pod.Spec.InitContainers}} {
		for i, c := range list.containers {
			if strings.TrimSpace(c.Image) != c.Image {
				errs = append(errs, field.Invalid(specPath.Child(list.name).Index(i).Child("image"), c.Image,
					"must not have leading or trailing whitespace"))
			}
		}
	}
	return errs
}

package kinds

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var (
	metaPath = field.NewPath("metadata")
	specPath = field.NewPath("spec")
)

// Validate says what is wrong with an object that was prepared, in the words of the real server. old is nil for Create.
//
// It knows all rules about metadata, and of the many about the rest those that people run into. What it lets pass is more
// than what the real server lets pass.
func (k *Kind) Validate(obj, old runtime.Object, op Operation) field.ErrorList {
	var errs field.ErrorList
	if op == Create {
		errs = k.validateMeta(obj)
	} else {
		errs = k.validateMetaUpdate(obj, old)
	}
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return append(errs, k.validateUnstructured(u, asUnstructured(old), op)...)
	}
	if op == UpdateStatus {
		return errs
	}
	errs = append(errs, validateObject(obj)...)
	errs = append(errs, k.validateEvent(obj, op)...)
	if op == Update {
		errs = append(errs, validateChange(obj, old)...)
	}
	return errs
}

func (k *Kind) validateMeta(obj runtime.Object) field.ErrorList {
	m, err := meta.Accessor(obj)
	if err != nil {
		return field.ErrorList{field.InternalError(metaPath, err)}
	}
	errs := asRecorded(validation.ValidateObjectMetaAccessor(m, k.Namespaced, k.validateName, metaPath))
	errs = append(errs, validateFinalizers(obj, m.GetFinalizers())...)
	if k.Kind == "CronJob" && len(m.GetName()) > 52 {
		// A job's name has a suffix, and a pod's name is a label.
		errs = append(errs, field.Invalid(metaPath.Child("name"), m.GetName(), "must be no more than 52 characters"))
	}
	return errs
}

func (k *Kind) validateMetaUpdate(obj, old runtime.Object) field.ErrorList {
	now, err := meta.Accessor(obj)
	if err != nil {
		return field.ErrorList{field.InternalError(metaPath, err)}
	}
	before, err := meta.Accessor(old)
	if err != nil {
		return field.ErrorList{field.InternalError(metaPath, err)}
	}
	errs := asRecorded(validation.ValidateObjectMetaAccessorUpdate(now, before, metaPath))
	return append(errs, validation.ValidateObjectMetaAccessor(now, k.Namespaced, k.validateName, metaPath)...)
}

// validateName knows which kinds have names that are more, or less, than a DNS subdomain.
func (k *Kind) validateName(name string, prefix bool) []string {
	switch {
	case k.Group == "rbac.authorization.k8s.io", k.Group == "" && k.Kind == "Event":
		if prefix {
			return content.IsPathSegmentPrefix(name)
		}
		return content.IsPathSegmentName(name)
	case k.Group == "" && (k.Kind == "Namespace" || k.Kind == "Service"), k.Group == "apps" && k.Kind == "StatefulSet":
		return validation.NameIsDNSLabel(name, prefix)
	}
	return validation.NameIsDNSSubdomain(name, prefix)
}

func validateObject(obj runtime.Object) field.ErrorList {
	switch o := obj.(type) {
	case *corev1.Pod:
		return validatePod(o)
	case *corev1.PodTemplate:
		return validateTemplate(&o.Template, field.NewPath("template"))
	case *corev1.ConfigMap:
		return validateConfigMap(o)
	case *corev1.Secret:
		return validateSecret(o)
	case *corev1.Service:
		return validateService(o)
	case *corev1.PersistentVolumeClaim:
		return validateClaim(o)
	case *corev1.ReplicationController:
		return validateReplicationController(o)
	case *appsv1.Deployment:
		return validateDeployment(o)
	case *appsv1.ReplicaSet:
		return validateReplicaSet(o)
	case *appsv1.StatefulSet:
		return validateStatefulSet(o)
	case *appsv1.DaemonSet:
		return validateDaemonSet(o)
	case *batchv1.Job:
		return validateJob(o)
	case *batchv1.CronJob:
		return validateCronJob(o)
	case *networkingv1.Ingress:
		return validateIngress(o)
	}
	return validateMore(obj)
}

// validateChange says what may not become of what.
func validateChange(obj, old runtime.Object) field.ErrorList {
	switch o := obj.(type) {
	case *corev1.Pod:
		return validatePodChange(o, old.(*corev1.Pod))
	case *corev1.ConfigMap:
		return validateConfigMapChange(o, old.(*corev1.ConfigMap))
	case *corev1.Secret:
		return validateSecretChange(o, old.(*corev1.Secret))
	case *corev1.Service:
		return validateServiceChange(o, old.(*corev1.Service))
	case *corev1.PersistentVolumeClaim:
		return validateClaimChange(o, old.(*corev1.PersistentVolumeClaim))
	case *appsv1.Deployment:
		return validation.ValidateImmutableField(o.Spec.Selector, old.(*appsv1.Deployment).Spec.Selector, specPath.Child("selector"))
	case *appsv1.ReplicaSet:
		return validation.ValidateImmutableField(o.Spec.Selector, old.(*appsv1.ReplicaSet).Spec.Selector, specPath.Child("selector"))
	case *appsv1.DaemonSet:
		return validation.ValidateImmutableField(o.Spec.Selector, old.(*appsv1.DaemonSet).Spec.Selector, specPath.Child("selector"))
	case *appsv1.StatefulSet:
		return validateStatefulSetChange(o, old.(*appsv1.StatefulSet))
	case *batchv1.Job:
		return validateJobChange(o, old.(*batchv1.Job))
	case *rbacv1.RoleBinding:
		return validateRoleRefChange(o.RoleRef, old.(*rbacv1.RoleBinding).RoleRef)
	case *rbacv1.ClusterRoleBinding:
		return validateRoleRefChange(o.RoleRef, old.(*rbacv1.ClusterRoleBinding).RoleRef)
	}
	return nil
}

// nonNegative is a rule about many numbers.
func nonNegative(value int64, at *field.Path) field.ErrorList {
	return validation.ValidateNonnegativeField(value, at)
}

func nonNegativePtr[T int32 | int64](value *T, at *field.Path) field.ErrorList {
	if value == nil {
		return nil
	}
	return nonNegative(int64(*value), at)
}

// messages makes errors of what the functions of apimachinery say.
func messages(at *field.Path, value any, texts []string) (errs field.ErrorList) {
	for _, text := range texts {
		errs = append(errs, field.Invalid(at, value, text))
	}
	return errs
}

// oneOf is a rule about words.
func oneOf[T ~string](value T, at *field.Path, words ...T) field.ErrorList {
	for _, word := range words {
		if value == word {
			return nil
		}
	}
	if value == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	return field.ErrorList{field.NotSupported(at, value, words)}
}

func quoted(words ...string) string {
	text := ""
	for i, word := range words {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%q", word)
	}
	return text
}

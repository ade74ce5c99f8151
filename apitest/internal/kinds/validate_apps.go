package kinds

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validateTemplate(t *corev1.PodTemplateSpec, at *field.Path) field.ErrorList {
	errs := metavalidation.ValidateLabels(t.Labels, at.Child("labels"))
	errs = append(errs, validation.ValidateAnnotations(t.Annotations, at.Child("annotations"))...)
	return append(errs, validatePodSpec(&t.Spec, at.Child("spec"))...)
}

// validateSelected is about kinds that select the pods that they make.
func validateSelected(selector *metav1.LabelSelector, t *corev1.PodTemplateSpec, owner string) field.ErrorList {
	at := specPath.Child("selector")
	var errs field.ErrorList
	if selector == nil {
		errs = append(errs, field.Required(at, ""))
	} else {
		errs = append(errs, metavalidation.ValidateLabelSelector(selector, metavalidation.LabelSelectorValidationOptions{}, at)...)
		if len(selector.MatchLabels)+len(selector.MatchExpressions) == 0 {
			errs = append(errs, field.Invalid(at, selector, "empty selector is invalid for "+owner))
		}
	}
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return append(errs, field.Invalid(at, selector, "invalid label selector"))
	}
	template := specPath.Child("template")
	if !parsed.Empty() && !parsed.Matches(labels.Set(t.Labels)) {
		errs = append(errs, field.Invalid(template.Child("metadata", "labels"), t.Labels, "`selector` does not match template `labels`"))
	}
	return append(errs, validateTemplate(t, template)...)
}

// validateLasting is about pods that are made anew when they end.
func validateLasting(t *corev1.PodTemplateSpec, owner string) (errs field.ErrorList) {
	at := specPath.Child("template", "spec")
	if t.Spec.RestartPolicy != corev1.RestartPolicyAlways {
		errs = append(errs, field.NotSupported(at.Child("restartPolicy"), t.Spec.RestartPolicy, []corev1.RestartPolicy{corev1.RestartPolicyAlways}))
	}
	if t.Spec.ActiveDeadlineSeconds != nil {
		errs = append(errs, field.Forbidden(at.Child("activeDeadlineSeconds"), "activeDeadlineSeconds in "+owner+" is not Supported"))
	}
	return errs
}

func validateDeployment(d *appsv1.Deployment) field.ErrorList {
	errs := nonNegativePtr(d.Spec.Replicas, specPath.Child("replicas"))
	errs = append(errs, validateSelected(d.Spec.Selector, &d.Spec.Template, "deployment")...)
	errs = append(errs, validateLasting(&d.Spec.Template, "ReplicaSet")...)
	strategy := specPath.Child("strategy")
	switch s := d.Spec.Strategy; {
	case s.Type == appsv1.RecreateDeploymentStrategyType && s.RollingUpdate != nil:
		errs = append(errs, field.Forbidden(strategy.Child("rollingUpdate"), "may not be specified when strategy `type` is 'Recreate'"))
	case s.Type != appsv1.RecreateDeploymentStrategyType && s.Type != appsv1.RollingUpdateDeploymentStrategyType:
		errs = append(errs, field.NotSupported(strategy, s, []string{"Recreate", "RollingUpdate"}))
	}
	errs = append(errs, nonNegative(int64(d.Spec.MinReadySeconds), specPath.Child("minReadySeconds"))...)
	errs = append(errs, nonNegativePtr(d.Spec.RevisionHistoryLimit, specPath.Child("revisionHistoryLimit"))...)
	if deadline := d.Spec.ProgressDeadlineSeconds; deadline != nil {
		errs = append(errs, nonNegativePtr(deadline, specPath.Child("progressDeadlineSeconds"))...)
		if *deadline <= d.Spec.MinReadySeconds {
			errs = append(errs, field.Invalid(specPath.Child("progressDeadlineSeconds"), *deadline, "must be greater than minReadySeconds"))
		}
	}
	return errs
}

func validateReplicaSet(r *appsv1.ReplicaSet) field.ErrorList {
	errs := nonNegativePtr(r.Spec.Replicas, specPath.Child("replicas"))
	errs = append(errs, nonNegative(int64(r.Spec.MinReadySeconds), specPath.Child("minReadySeconds"))...)
	errs = append(errs, validateSelected(r.Spec.Selector, &r.Spec.Template, "deployment")...) // sic
	return append(errs, validateLasting(&r.Spec.Template, "ReplicaSet")...)
}

func validateReplicationController(c *corev1.ReplicationController) field.ErrorList {
	errs := nonNegativePtr(c.Spec.Replicas, specPath.Child("replicas"))
	if len(c.Spec.Selector) == 0 {
		errs = append(errs, field.Required(specPath.Child("selector"), ""))
	}
	at := specPath.Child("template")
	if c.Spec.Template == nil {
		return append(errs, field.Required(at, ""))
	}
	if !labels.SelectorFromSet(c.Spec.Selector).Matches(labels.Set(c.Spec.Template.Labels)) {
		errs = append(errs, field.Invalid(at.Child("metadata", "labels"), c.Spec.Template.Labels, "`selector` does not match template `labels`"))
	}
	errs = append(errs, validateTemplate(c.Spec.Template, at)...)
	return append(errs, validateLasting(c.Spec.Template, "ReplicationController")...)
}

func validateStatefulSet(s *appsv1.StatefulSet) field.ErrorList {
	errs := nonNegativePtr(s.Spec.Replicas, specPath.Child("replicas"))
	errs = append(errs, nonNegative(int64(s.Spec.MinReadySeconds), specPath.Child("minReadySeconds"))...)
	template := s.Spec.Template.DeepCopy()
	for _, claim := range s.Spec.VolumeClaimTemplates {
		// The controller adds them, so containers may name them.
		template.Spec.Volumes = append(template.Spec.Volumes, corev1.Volume{Name: claim.Name})
	}
	errs = append(errs, validateSelected(s.Spec.Selector, template, "statefulset")...)
	return append(errs, validateLasting(&s.Spec.Template, "StatefulSet")...)
}

func validateStatefulSetChange(s, old *appsv1.StatefulSet) field.ErrorList {
	wanted := s.Spec.DeepCopy()
	wanted.Replicas, wanted.Ordinals, wanted.Template = old.Spec.Replicas, old.Spec.Ordinals, old.Spec.Template
	wanted.UpdateStrategy, wanted.MinReadySeconds = old.Spec.UpdateStrategy, old.Spec.MinReadySeconds
	wanted.RevisionHistoryLimit = old.Spec.RevisionHistoryLimit
	wanted.PersistentVolumeClaimRetentionPolicy = old.Spec.PersistentVolumeClaimRetentionPolicy
	if equality.Semantic.DeepEqual(*wanted, old.Spec) {
		return nil
	}
	return field.ErrorList{field.Forbidden(specPath, "updates to statefulset spec for fields other than 'replicas', 'ordinals', "+
		"'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden")}
}

func validateDaemonSet(d *appsv1.DaemonSet) field.ErrorList {
	errs := validateSelected(d.Spec.Selector, &d.Spec.Template, "daemonset")
	errs = append(errs, validateLasting(&d.Spec.Template, "DaemonSet")...)
	return append(errs, nonNegative(int64(d.Spec.MinReadySeconds), specPath.Child("minReadySeconds"))...)
}

func validateJob(j *batchv1.Job) field.ErrorList { return validateJobSpec(&j.Spec, specPath, true) }

func validateJobSpec(spec *batchv1.JobSpec, at *field.Path, selected bool) field.ErrorList {
	errs := nonNegativePtr(spec.Parallelism, at.Child("parallelism"))
	errs = append(errs, nonNegativePtr(spec.Completions, at.Child("completions"))...)
	errs = append(errs, nonNegativePtr(spec.ActiveDeadlineSeconds, at.Child("activeDeadlineSeconds"))...)
	errs = append(errs, nonNegativePtr(spec.BackoffLimit, at.Child("backoffLimit"))...)
	errs = append(errs, nonNegativePtr(spec.TTLSecondsAfterFinished, at.Child("ttlSecondsAfterFinished"))...)
	errs = append(errs, validateTemplate(&spec.Template, at.Child("template"))...)
	restart := at.Child("template", "spec", "restartPolicy")
	switch policy := spec.Template.Spec.RestartPolicy; policy {
	case corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever:
	case corev1.RestartPolicyAlways:
		// It is the default for pods, and so it looks as if nothing was said.
		errs = append(errs, field.Required(restart, "valid values: "+quoted("OnFailure", "Never")))
	default:
		errs = append(errs, field.NotSupported(restart, policy, []corev1.RestartPolicy{corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever}))
	}
	if !selected {
		return errs
	}
	if spec.Selector == nil {
		errs = append(errs, field.Required(at.Child("selector"), ""))
	}
	if s, err := metav1.LabelSelectorAsSelector(spec.Selector); err == nil && !s.Matches(labels.Set(spec.Template.Labels)) {
		errs = append(errs, field.Invalid(at.Child("template", "metadata", "labels"), spec.Template.Labels,
			"`selector` does not match template `labels`"))
	}
	return errs
}

func validateJobChange(j, old *batchv1.Job) field.ErrorList {
	now, before := &j.Spec, &old.Spec
	errs := validation.ValidateImmutableField(now.Selector, before.Selector, specPath.Child("selector"))
	if before.Suspend == nil || !*before.Suspend {
		errs = append(errs, validation.ValidateImmutableField(now.Completions, before.Completions, specPath.Child("completions"))...)
		errs = append(errs, validation.ValidateImmutableField(now.Template, before.Template, specPath.Child("template"))...)
	}
	errs = append(errs, validation.ValidateImmutableField(now.CompletionMode, before.CompletionMode, specPath.Child("completionMode"))...)
	return append(errs, validation.ValidateImmutableField(now.PodFailurePolicy, before.PodFailurePolicy, specPath.Child("podFailurePolicy"))...)
}

func validateCronJob(c *batchv1.CronJob) (errs field.ErrorList) {
	at := specPath.Child("schedule")
	if fields := strings.Fields(c.Spec.Schedule); c.Spec.Schedule == "" {
		errs = append(errs, field.Required(at, ""))
	} else if len(fields) != 5 && !strings.HasPrefix(c.Spec.Schedule, "@") {
		errs = append(errs, field.Invalid(at, c.Spec.Schedule, fmt.Sprintf("expected exactly 5 fields, found %d: %v", len(fields), fields)))
	}
	policies := sets.New(batchv1.AllowConcurrent, batchv1.ForbidConcurrent, batchv1.ReplaceConcurrent)
	if !policies.Has(c.Spec.ConcurrencyPolicy) {
		errs = append(errs, field.NotSupported(specPath.Child("concurrencyPolicy"), c.Spec.ConcurrencyPolicy, sets.List(policies)))
	}
	return append(errs, validateJobSpec(&c.Spec.JobTemplate.Spec, specPath.Child("jobTemplate", "spec"), false)...)
}

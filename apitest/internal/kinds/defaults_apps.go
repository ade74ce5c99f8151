package kinds

import (
	"maps"
	"math"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func defaultDeployment(d *appsv1.Deployment) {
	orDefaultPtr(&d.Spec.Replicas, 1)
	strategy := &d.Spec.Strategy
	orDefault(&strategy.Type, appsv1.RollingUpdateDeploymentStrategyType)
	if strategy.Type == appsv1.RollingUpdateDeploymentStrategyType {
		orDefaultPtr(&strategy.RollingUpdate, appsv1.RollingUpdateDeployment{})
		orDefaultPtr(&strategy.RollingUpdate.MaxUnavailable, intstr.FromString("25%"))
		orDefaultPtr(&strategy.RollingUpdate.MaxSurge, intstr.FromString("25%"))
	}
	orDefaultPtr(&d.Spec.RevisionHistoryLimit, 10)
	orDefaultPtr(&d.Spec.ProgressDeadlineSeconds, 600)
	defaultPodSpec(&d.Spec.Template.Spec)
}

func defaultStatefulSet(s *appsv1.StatefulSet) {
	orDefault(&s.Spec.PodManagementPolicy, appsv1.OrderedReadyPodManagement)
	strategy := &s.Spec.UpdateStrategy
	if strategy.Type == "" {
		strategy.Type = appsv1.RollingUpdateStatefulSetStrategyType
		orDefaultPtr(&strategy.RollingUpdate, appsv1.RollingUpdateStatefulSetStrategy{})
	}
	if strategy.Type == appsv1.RollingUpdateStatefulSetStrategyType && strategy.RollingUpdate != nil {
		orDefaultPtr(&strategy.RollingUpdate.Partition, 0)
	}
	orDefaultPtr(&s.Spec.PersistentVolumeClaimRetentionPolicy, appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{})
	retention := s.Spec.PersistentVolumeClaimRetentionPolicy
	orDefault(&retention.WhenDeleted, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
	orDefault(&retention.WhenScaled, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
	orDefaultPtr(&s.Spec.Replicas, 1)
	orDefaultPtr(&s.Spec.RevisionHistoryLimit, 10)
	defaultPodSpec(&s.Spec.Template.Spec)
	for i := range s.Spec.VolumeClaimTemplates {
		claim := &s.Spec.VolumeClaimTemplates[i]
		claim.APIVersion, claim.Kind = "v1", "PersistentVolumeClaim"
		orDefaultPtr(&claim.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
		orDefault(&claim.Status.Phase, corev1.ClaimPending)
	}
}

func defaultDaemonSet(d *appsv1.DaemonSet) {
	strategy := &d.Spec.UpdateStrategy
	orDefault(&strategy.Type, appsv1.RollingUpdateDaemonSetStrategyType)
	if strategy.Type == appsv1.RollingUpdateDaemonSetStrategyType {
		orDefaultPtr(&strategy.RollingUpdate, appsv1.RollingUpdateDaemonSet{})
		orDefaultPtr(&strategy.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
		orDefaultPtr(&strategy.RollingUpdate.MaxSurge, intstr.FromInt32(0))
	}
	orDefaultPtr(&d.Spec.RevisionHistoryLimit, 10)
	defaultPodSpec(&d.Spec.Template.Spec)
}

func defaultReplicationController(c *corev1.ReplicationController) {
	orDefaultPtr(&c.Spec.Replicas, 1)
	if c.Spec.Template == nil {
		return
	}
	defaultPodSpec(&c.Spec.Template.Spec)
	if labels := c.Spec.Template.Labels; labels != nil {
		if len(c.Spec.Selector) == 0 {
			c.Spec.Selector = maps.Clone(labels)
		}
		if len(c.Labels) == 0 {
			c.Labels = maps.Clone(labels)
		}
	}
}

func defaultJob(j *batchv1.Job) {
	spec := &j.Spec
	if spec.Completions == nil && spec.Parallelism == nil {
		spec.Completions = ptr(int32(1))
	}
	orDefaultPtr(&spec.Parallelism, 1)
	if spec.BackoffLimitPerIndex != nil {
		orDefaultPtr(&spec.BackoffLimit, math.MaxInt32)
	}
	orDefaultPtr(&spec.BackoffLimit, 6)
	orDefaultPtr(&spec.CompletionMode, batchv1.NonIndexedCompletion)
	orDefaultPtr(&spec.Suspend, false)
	if spec.PodFailurePolicy != nil {
		orDefaultPtr(&spec.PodReplacementPolicy, batchv1.Failed)
	}
	orDefaultPtr(&spec.PodReplacementPolicy, batchv1.TerminatingOrFailed)
	orDefaultPtr(&spec.ManualSelector, false)
	defaultPodSpec(&spec.Template.Spec)
}

func defaultCronJob(c *batchv1.CronJob) {
	orDefault(&c.Spec.ConcurrencyPolicy, batchv1.AllowConcurrent)
	orDefaultPtr(&c.Spec.Suspend, false)
	orDefaultPtr(&c.Spec.SuccessfulJobsHistoryLimit, 3)
	orDefaultPtr(&c.Spec.FailedJobsHistoryLimit, 1)
	// What makes a job a job is decided when there is one; a template has only the defaults of its pods.
	defaultPodSpec(&c.Spec.JobTemplate.Spec.Template.Spec)
}

// selectJobPods gives a job the labels and the selector that make its pods its own.
func selectJobPods(j *batchv1.Job) {
	if j.Spec.ManualSelector == nil || *j.Spec.ManualSelector {
		return
	}
	labels := labelsOf(&j.Spec.Template.ObjectMeta)
	for _, key := range []string{"job-name", batchv1.JobNameLabel} {
		if _, set := labels[key]; !set {
			labels[key] = j.Name
		}
	}
	for _, key := range []string{"controller-uid", batchv1.ControllerUidLabel} {
		if _, set := labels[key]; !set {
			labels[key] = string(j.UID)
		}
	}
	if j.Spec.Selector == nil {
		j.Spec.Selector = selectorOf(nil)
	}
	if j.Spec.Selector.MatchLabels == nil {
		j.Spec.Selector.MatchLabels = map[string]string{}
	}
	if _, set := j.Spec.Selector.MatchLabels[batchv1.ControllerUidLabel]; !set {
		j.Spec.Selector.MatchLabels[batchv1.ControllerUidLabel] = string(j.UID)
	}
}

// labelJob is a default, but one that takes in the labels that selectJobPods made.
func labelJob(j *batchv1.Job) {
	if len(j.Labels) == 0 {
		j.Labels = maps.Clone(j.Spec.Template.Labels)
	}
}

// templateGeneration is a field of the real server's own type, and an annotation for all others.
const templateGeneration = "deprecated.daemonset.template.generation"

func countTemplates(d, old *appsv1.DaemonSet) {
	n := int64(1)
	if old != nil {
		n, _ = strconv.ParseInt(old.Annotations[templateGeneration], 10, 64)
		if !equality.Semantic.DeepEqual(d.Spec.Template, old.Spec.Template) {
			n++
		}
	}
	d.Annotations = maps.Clone(d.Annotations)
	if d.Annotations == nil {
		d.Annotations = map[string]string{}
	}
	d.Annotations[templateGeneration] = strconv.FormatInt(n, 10)
}

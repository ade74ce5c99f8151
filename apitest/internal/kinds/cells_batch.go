package kinds

import (
	"fmt"
	"slices"
	"strings"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
)

func jobCells(j *batchv1.Job) []any {
	completions := fmt.Sprintf("%d/1", j.Status.Succeeded)
	if j.Spec.Completions != nil {
		completions = fmt.Sprintf("%d/%d", j.Status.Succeeded, *j.Spec.Completions)
	} else if n := number(j.Spec.Parallelism); n > 1 {
		completions = fmt.Sprintf("%d/1 of %d", j.Status.Succeeded, n)
	}
	took := ""
	if start := j.Status.StartTime; start != nil {
		end := time.Now()
		if j.Status.CompletionTime != nil {
			end = j.Status.CompletionTime.Time
		}
		took = duration.HumanDuration(end.Sub(start.Time))
	}
	names, images := containerCells(j.Spec.Template.Spec.Containers)
	return []any{j.Name, jobStatus(j), completions, took, age(j.CreationTimestamp), names, images,
		metav1.FormatLabelSelector(j.Spec.Selector)}
}

func jobStatus(j *batchv1.Job) string {
	has := func(kind batchv1.JobConditionType) bool {
		return slices.ContainsFunc(j.Status.Conditions, func(c batchv1.JobCondition) bool {
			return c.Type == kind && c.Status == corev1.ConditionTrue
		})
	}
	for _, kind := range []batchv1.JobConditionType{batchv1.JobComplete, batchv1.JobFailed} {
		if has(kind) {
			return string(kind)
		}
	}
	if j.DeletionTimestamp != nil {
		return "Terminating"
	}
	for _, kind := range []batchv1.JobConditionType{batchv1.JobSuspended, batchv1.JobFailureTarget, batchv1.JobSuccessCriteriaMet} {
		if has(kind) {
			return string(kind)
		}
	}
	return "Running"
}

func cronJobCells(c *batchv1.CronJob) []any {
	last := "<none>"
	if c.Status.LastScheduleTime != nil {
		last = age(*c.Status.LastScheduleTime)
	}
	suspend := "<unset>"
	if c.Spec.Suspend != nil {
		suspend = map[bool]string{true: "True", false: "False"}[*c.Spec.Suspend]
	}
	names, images := containerCells(c.Spec.JobTemplate.Spec.Template.Spec.Containers)
	return []any{c.Name, c.Spec.Schedule, orPtr(c.Spec.TimeZone, "<none>"), suspend, int64(len(c.Status.Active)), last,
		age(c.CreationTimestamp), names, images, metav1.FormatLabelSelector(c.Spec.JobTemplate.Spec.Selector)}
}

func autoscalerCells(a *autoscalingv2.HorizontalPodAutoscaler) []any {
	return []any{a.Name, a.Spec.ScaleTargetRef.Kind + "/" + a.Spec.ScaleTargetRef.Name, metricsCell(a),
		orPtr(a.Spec.MinReplicas, "<unset>"), int64(a.Spec.MaxReplicas), int64(a.Status.CurrentReplicas), age(a.CreationTimestamp)}
}

func metricsCell(a *autoscalingv2.HorizontalPodAutoscaler) string {
	const most = 2
	var list []string
	for i, spec := range a.Spec.Metrics {
		var status autoscalingv2.MetricStatus
		if i < len(a.Status.CurrentMetrics) {
			status = a.Status.CurrentMetrics[i]
		}
		list = append(list, metricCell(spec, status))
	}
	switch {
	case len(list) == 0:
		return "<none>"
	case len(list) > most:
		return fmt.Sprintf("%s + %d more...", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, ", ")
}

func metricCell(spec autoscalingv2.MetricSpec, status autoscalingv2.MetricStatus) string {
	var current autoscalingv2.MetricValueStatus
	switch spec.Type {
	case autoscalingv2.ResourceMetricSourceType:
		if status.Resource != nil {
			current = status.Resource.Current
		}
		return resourceMetricCell(string(spec.Resource.Name), spec.Resource.Target, current)
	case autoscalingv2.ContainerResourceMetricSourceType:
		if status.ContainerResource != nil {
			current = status.ContainerResource.Current
		}
		return resourceMetricCell(string(spec.ContainerResource.Name), spec.ContainerResource.Target, current)
	case autoscalingv2.PodsMetricSourceType:
		if status.Pods != nil {
			current = status.Pods.Current
		}
		return quantity(current.AverageValue) + "/" + quantity(spec.Pods.Target.AverageValue)
	case autoscalingv2.ObjectMetricSourceType:
		if status.Object != nil {
			current = status.Object.Current
		}
		return valueMetricCell(spec.Object.Target, current)
	case autoscalingv2.ExternalMetricSourceType:
		if status.External != nil {
			current = status.External.Current
		}
		return valueMetricCell(spec.External.Target, current)
	}
	return "<unknown type>"
}

func resourceMetricCell(name string, target autoscalingv2.MetricTarget, current autoscalingv2.MetricValueStatus) string {
	if target.AverageValue != nil {
		return fmt.Sprintf("%s: %s/%s", name, quantity(current.AverageValue), target.AverageValue)
	}
	return fmt.Sprintf("%s: %s/%s", name, percent(current.AverageUtilization, "<unknown>"), percent(target.AverageUtilization, "<auto>"))
}

func valueMetricCell(target autoscalingv2.MetricTarget, current autoscalingv2.MetricValueStatus) string {
	if target.AverageValue != nil {
		return fmt.Sprintf("%s/%s (avg)", quantity(current.AverageValue), target.AverageValue)
	}
	return quantity(current.Value) + "/" + quantity(target.Value)
}

func quantity(q *resource.Quantity) string {
	if q == nil {
		return "<unknown>"
	}
	return q.String()
}

func percent(n *int32, nothing string) string {
	if n == nil {
		return nothing
	}
	return fmt.Sprintf("%d%%", *n)
}

package kinds

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
)

// cellsOf is the row of an object, or nil for kinds that have no columns of their own.
func cellsOf(obj runtime.Object) []any {
	switch o := obj.(type) {
	case *corev1.Pod:
		return podCells(o)
	case *corev1.PodTemplate:
		names, images := containerCells(o.Template.Spec.Containers)
		return []any{o.Name, names, images, labels.FormatLabels(o.Template.Labels)}
	case *corev1.ReplicationController:
		return replicaCells(o.ObjectMeta, o.Spec.Replicas, o.Status.Replicas, o.Status.ReadyReplicas,
			o.Spec.Template.Spec.Containers, labels.FormatLabels(o.Spec.Selector))
	case *autoscalingv1.Scale:
		return scaleCells(o)
	case *corev1.Event:
		return eventCells(o)
	case *eventsv1.Event:
		return eventCells(eventFromEvents(o))
	case *appsv1.Deployment:
		return deploymentCells(o)
	case *appsv1.ReplicaSet:
		return replicaCells(o.ObjectMeta, o.Spec.Replicas, o.Status.Replicas, o.Status.ReadyReplicas,
			o.Spec.Template.Spec.Containers, metav1.FormatLabelSelector(o.Spec.Selector))
	case *appsv1.StatefulSet:
		names, images := containerCells(o.Spec.Template.Spec.Containers)
		return []any{o.Name, fmt.Sprintf("%d/%d", o.Status.ReadyReplicas, number(o.Spec.Replicas)), age(o.CreationTimestamp), names, images}
	case *appsv1.DaemonSet:
		return daemonSetCells(o)
	case *appsv1.ControllerRevision:
		return []any{o.Name, controllerCell(o), o.Revision, age(o.CreationTimestamp)}
	case *batchv1.Job:
		return jobCells(o)
	case *batchv1.CronJob:
		return cronJobCells(o)
	case *autoscalingv1.HorizontalPodAutoscaler:
		return autoscalerCells(autoscalerToV2(o.DeepCopy()))
	case *autoscalingv2.HorizontalPodAutoscaler:
		return autoscalerCells(o)
	}
	if cells := coreCells(obj); cells != nil {
		return cells
	}
	return otherCells(obj)
}

func number(n *int32) int64 {
	if n == nil {
		return 0
	}
	return int64(*n)
}

func containerCells(containers []corev1.Container) (names, images string) {
	var n, i []string
	for _, c := range containers {
		n, i = append(n, c.Name), append(i, c.Image)
	}
	return strings.Join(n, ","), strings.Join(i, ",")
}

func replicaCells(m metav1.ObjectMeta, desired *int32, current, ready int32, containers []corev1.Container, selector string) []any {
	names, images := containerCells(containers)
	return []any{m.Name, number(desired), int64(current), int64(ready), age(m.CreationTimestamp), names, images, selector}
}

func deploymentCells(d *appsv1.Deployment) []any {
	names, images := containerCells(d.Spec.Template.Spec.Containers)
	selector := "<invalid>"
	if s, err := metav1.LabelSelectorAsSelector(d.Spec.Selector); err == nil {
		selector = s.String()
	}
	return []any{d.Name, fmt.Sprintf("%d/%d", d.Status.ReadyReplicas, number(d.Spec.Replicas)), int64(d.Status.UpdatedReplicas),
		int64(d.Status.AvailableReplicas), age(d.CreationTimestamp), names, images, selector}
}

func daemonSetCells(d *appsv1.DaemonSet) []any {
	names, images := containerCells(d.Spec.Template.Spec.Containers)
	s := d.Status
	return []any{d.Name, int64(s.DesiredNumberScheduled), int64(s.CurrentNumberScheduled), int64(s.NumberReady),
		int64(s.UpdatedNumberScheduled), int64(s.NumberAvailable), labels.FormatLabels(d.Spec.Template.Spec.NodeSelector),
		age(d.CreationTimestamp), names, images, metav1.FormatLabelSelector(d.Spec.Selector)}
}

func controllerCell(r *appsv1.ControllerRevision) string {
	owner := metav1.GetControllerOf(r)
	if owner == nil {
		return "<none>"
	}
	kind := strings.ToLower(owner.Kind)
	if group, _, grouped := strings.Cut(owner.APIVersion, "/"); grouped {
		kind += "." + group
	}
	return kind + "/" + owner.Name
}

func eventCells(e *corev1.Event) []any {
	first := age(e.FirstTimestamp)
	if e.FirstTimestamp.IsZero() {
		first = age(metav1.Time(e.EventTime))
	}
	last, count := first, e.Count
	if !e.LastTimestamp.IsZero() {
		last = age(e.LastTimestamp)
	}
	if e.Series != nil {
		last, count = age(metav1.Time(e.Series.LastObservedTime)), e.Series.Count
	} else if count == 0 {
		count = 1
	}
	target := strings.ToLower(e.InvolvedObject.Kind)
	if e.InvolvedObject.Name != "" {
		target += "/" + e.InvolvedObject.Name
	}
	source := or(e.Source.Component, e.ReportingController)
	if instance := or(e.Source.Host, e.ReportingInstance); instance != "" {
		source += ", " + instance
	}
	return []any{last, e.Type, e.Reason, target, e.InvolvedObject.FieldPath, source, strings.TrimSpace(e.Message), first, int64(count), e.Name}
}

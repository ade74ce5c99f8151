package kinds

import (
	"encoding/json"
	"maps"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
)

// In autoscaling/v1 only the use of CPU has fields. The rest travels in these annotations.
const (
	hpaMetrics        = "autoscaling.alpha.kubernetes.io/metrics"
	hpaBehavior       = "autoscaling.alpha.kubernetes.io/behavior"
	hpaCurrentMetrics = "autoscaling.alpha.kubernetes.io/current-metrics"
	hpaConditions     = "autoscaling.alpha.kubernetes.io/conditions"
)

func autoscalerToV1(in *autoscalingv2.HorizontalPodAutoscaler) *autoscalingv1.HorizontalPodAutoscaler {
	out := &autoscalingv1.HorizontalPodAutoscaler{
		TypeMeta:   in.TypeMeta,
		ObjectMeta: in.ObjectMeta,
		Spec: autoscalingv1.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv1.CrossVersionObjectReference(in.Spec.ScaleTargetRef),
			MinReplicas:    in.Spec.MinReplicas,
			MaxReplicas:    in.Spec.MaxReplicas,
		},
		Status: autoscalingv1.HorizontalPodAutoscalerStatus{
			ObservedGeneration: in.Status.ObservedGeneration,
			LastScaleTime:      in.Status.LastScaleTime,
			CurrentReplicas:    in.Status.CurrentReplicas,
			DesiredReplicas:    in.Status.DesiredReplicas,
		},
	}
	var others []autoscalingv1.MetricSpec
	for _, metric := range in.Spec.Metrics {
		if isCPU(metric) {
			out.Spec.TargetCPUUtilizationPercentage = metric.Resource.Target.AverageUtilization
		} else {
			others = append(others, metricToV1(metric))
		}
	}
	var current []autoscalingv1.MetricStatus
	for _, metric := range in.Status.CurrentMetrics {
		if r := metric.Resource; r != nil && r.Name == corev1.ResourceCPU && r.Current.AverageUtilization != nil {
			out.Status.CurrentCPUUtilizationPercentage = r.Current.AverageUtilization
		}
		current = append(current, metricStatusToV1(metric))
	}
	annotate(out, hpaMetrics, others, len(others) > 0)
	annotate(out, hpaCurrentMetrics, current, len(current) > 0)
	annotate(out, hpaConditions, in.Status.Conditions, len(in.Status.Conditions) > 0)
	annotate(out, hpaBehavior, in.Spec.Behavior, in.Spec.Behavior != nil)
	return out
}

func isCPU(m autoscalingv2.MetricSpec) bool {
	return m.Type == autoscalingv2.ResourceMetricSourceType && m.Resource != nil &&
		m.Resource.Name == corev1.ResourceCPU && m.Resource.Target.AverageUtilization != nil
}

func annotate(out *autoscalingv1.HorizontalPodAutoscaler, key string, value any, present bool) {
	if !present {
		return
	}
	if data, err := json.Marshal(value); err == nil {
		out.Annotations = maps.Clone(out.Annotations)
		if out.Annotations == nil {
			out.Annotations = map[string]string{}
		}
		out.Annotations[key] = string(data)
	}
}

func autoscalerToV2(in *autoscalingv1.HorizontalPodAutoscaler) *autoscalingv2.HorizontalPodAutoscaler {
	out := &autoscalingv2.HorizontalPodAutoscaler{
		TypeMeta:   in.TypeMeta,
		ObjectMeta: in.ObjectMeta,
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference(in.Spec.ScaleTargetRef),
			MinReplicas:    in.Spec.MinReplicas,
			MaxReplicas:    in.Spec.MaxReplicas,
		},
		Status: autoscalingv2.HorizontalPodAutoscalerStatus{
			ObservedGeneration: in.Status.ObservedGeneration,
			LastScaleTime:      in.Status.LastScaleTime,
			CurrentReplicas:    in.Status.CurrentReplicas,
			DesiredReplicas:    in.Status.DesiredReplicas,
		},
	}
	var others []autoscalingv1.MetricSpec
	takeAnnotation(out, hpaMetrics, &others)
	for _, metric := range others {
		out.Spec.Metrics = append(out.Spec.Metrics, metricToV2(metric))
	}
	if percent := in.Spec.TargetCPUUtilizationPercentage; percent != nil {
		out.Spec.Metrics = append(out.Spec.Metrics, autoscalingv2.MetricSpec{
			Type: autoscalingv2.ResourceMetricSourceType,
			Resource: &autoscalingv2.ResourceMetricSource{
				Name:   corev1.ResourceCPU,
				Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: percent},
			},
		})
	}
	out.Status.CurrentMetrics = currentMetricsToV2(in, out)
	takeAnnotation(out, hpaConditions, &out.Status.Conditions)
	takeAnnotation(out, hpaBehavior, &out.Spec.Behavior)
	return out
}

// currentMetricsToV2 prefers the annotation, which knows more than the field.
func currentMetricsToV2(in *autoscalingv1.HorizontalPodAutoscaler, out *autoscalingv2.HorizontalPodAutoscaler) []autoscalingv2.MetricStatus {
	var current []autoscalingv1.MetricStatus
	takeAnnotation(out, hpaCurrentMetrics, &current)
	var metrics []autoscalingv2.MetricStatus
	for _, metric := range current {
		metrics = append(metrics, metricStatusToV2(metric))
	}
	if percent := in.Status.CurrentCPUUtilizationPercentage; percent != nil && metrics == nil {
		metrics = []autoscalingv2.MetricStatus{{
			Type: autoscalingv2.ResourceMetricSourceType,
			Resource: &autoscalingv2.ResourceMetricStatus{
				Name:    corev1.ResourceCPU,
				Current: autoscalingv2.MetricValueStatus{AverageUtilization: percent},
			},
		}}
	}
	return metrics
}

// takeAnnotation reads and removes one. What cannot be read is dropped, as the real server does.
func takeAnnotation(out *autoscalingv2.HorizontalPodAutoscaler, key string, into any) {
	if data, ok := out.Annotations[key]; ok {
		_ = json.Unmarshal([]byte(data), into)
		out.Annotations = maps.Clone(out.Annotations)
		delete(out.Annotations, key)
	}
}

package kinds

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
)

func metricToV1(in autoscalingv2.MetricSpec) autoscalingv1.MetricSpec {
	out := autoscalingv1.MetricSpec{Type: autoscalingv1.MetricSourceType(in.Type)}
	if m := in.Resource; m != nil {
		out.Resource = &autoscalingv1.ResourceMetricSource{Name: m.Name,
			TargetAverageUtilization: m.Target.AverageUtilization, TargetAverageValue: m.Target.AverageValue}
	}
	if m := in.ContainerResource; m != nil {
		out.ContainerResource = &autoscalingv1.ContainerResourceMetricSource{Name: m.Name, Container: m.Container,
			TargetAverageUtilization: m.Target.AverageUtilization, TargetAverageValue: m.Target.AverageValue}
	}
	if m := in.Pods; m != nil {
		out.Pods = &autoscalingv1.PodsMetricSource{MetricName: m.Metric.Name, Selector: m.Metric.Selector,
			TargetAverageValue: valueOf(m.Target.AverageValue)}
	}
	if m := in.Object; m != nil {
		out.Object = &autoscalingv1.ObjectMetricSource{MetricName: m.Metric.Name, Selector: m.Metric.Selector,
			Target:      autoscalingv1.CrossVersionObjectReference(m.DescribedObject),
			TargetValue: valueOf(m.Target.Value), AverageValue: m.Target.AverageValue}
	}
	if m := in.External; m != nil {
		out.External = &autoscalingv1.ExternalMetricSource{MetricName: m.Metric.Name, MetricSelector: m.Metric.Selector,
			TargetValue: m.Target.Value, TargetAverageValue: m.Target.AverageValue}
	}
	return out
}

func metricToV2(in autoscalingv1.MetricSpec) autoscalingv2.MetricSpec {
	out := autoscalingv2.MetricSpec{Type: autoscalingv2.MetricSourceType(in.Type)}
	if m := in.Resource; m != nil {
		out.Resource = &autoscalingv2.ResourceMetricSource{Name: m.Name,
			Target: targetOf(nil, m.TargetAverageValue, m.TargetAverageUtilization)}
	}
	if m := in.ContainerResource; m != nil {
		out.ContainerResource = &autoscalingv2.ContainerResourceMetricSource{Name: m.Name, Container: m.Container,
			Target: targetOf(nil, m.TargetAverageValue, m.TargetAverageUtilization)}
	}
	if m := in.Pods; m != nil {
		out.Pods = &autoscalingv2.PodsMetricSource{Target: targetOf(nil, &m.TargetAverageValue, nil),
			Metric: autoscalingv2.MetricIdentifier{Name: m.MetricName, Selector: m.Selector}}
	}
	if m := in.Object; m != nil {
		value := &m.TargetValue
		if m.AverageValue != nil && value.IsZero() {
			value = nil // v1 cannot leave it out
		}
		target := targetOf(value, m.AverageValue, nil)
		if m.AverageValue != nil {
			target.Type = autoscalingv2.AverageValueMetricType
		}
		out.Object = &autoscalingv2.ObjectMetricSource{Target: target,
			DescribedObject: autoscalingv2.CrossVersionObjectReference(m.Target),
			Metric:          autoscalingv2.MetricIdentifier{Name: m.MetricName, Selector: m.Selector}}
	}
	if m := in.External; m != nil {
		out.External = &autoscalingv2.ExternalMetricSource{Target: targetOf(m.TargetValue, m.TargetAverageValue, nil),
			Metric: autoscalingv2.MetricIdentifier{Name: m.MetricName, Selector: m.MetricSelector}}
	}
	return out
}

// targetOf finds the type, which v1 does not name.
func targetOf(value, average *resource.Quantity, utilization *int32) autoscalingv2.MetricTarget {
	t := autoscalingv2.MetricTarget{Value: value, AverageValue: average, AverageUtilization: utilization}
	switch {
	case utilization != nil:
		t.Type = autoscalingv2.UtilizationMetricType
	case value != nil:
		t.Type = autoscalingv2.ValueMetricType
	default:
		t.Type = autoscalingv2.AverageValueMetricType
	}
	return t
}

func metricStatusToV1(in autoscalingv2.MetricStatus) autoscalingv1.MetricStatus {
	out := autoscalingv1.MetricStatus{Type: autoscalingv1.MetricSourceType(in.Type)}
	if m := in.Resource; m != nil {
		out.Resource = &autoscalingv1.ResourceMetricStatus{Name: m.Name,
			CurrentAverageUtilization: m.Current.AverageUtilization, CurrentAverageValue: valueOf(m.Current.AverageValue)}
	}
	if m := in.ContainerResource; m != nil {
		out.ContainerResource = &autoscalingv1.ContainerResourceMetricStatus{Name: m.Name, Container: m.Container,
			CurrentAverageUtilization: m.Current.AverageUtilization, CurrentAverageValue: valueOf(m.Current.AverageValue)}
	}
	if m := in.Pods; m != nil {
		out.Pods = &autoscalingv1.PodsMetricStatus{MetricName: m.Metric.Name, Selector: m.Metric.Selector,
			CurrentAverageValue: valueOf(m.Current.AverageValue)}
	}
	if m := in.Object; m != nil {
		out.Object = &autoscalingv1.ObjectMetricStatus{MetricName: m.Metric.Name, Selector: m.Metric.Selector,
			Target:       autoscalingv1.CrossVersionObjectReference(m.DescribedObject),
			CurrentValue: valueOf(m.Current.Value), AverageValue: m.Current.AverageValue}
	}
	if m := in.External; m != nil {
		out.External = &autoscalingv1.ExternalMetricStatus{MetricName: m.Metric.Name, MetricSelector: m.Metric.Selector,
			CurrentValue: valueOf(m.Current.Value), CurrentAverageValue: m.Current.AverageValue}
	}
	return out
}

func metricStatusToV2(in autoscalingv1.MetricStatus) autoscalingv2.MetricStatus {
	out := autoscalingv2.MetricStatus{Type: autoscalingv2.MetricSourceType(in.Type)}
	if m := in.Resource; m != nil {
		out.Resource = &autoscalingv2.ResourceMetricStatus{Name: m.Name, Current: autoscalingv2.MetricValueStatus{
			AverageUtilization: m.CurrentAverageUtilization, AverageValue: &m.CurrentAverageValue}}
	}
	if m := in.ContainerResource; m != nil {
		out.ContainerResource = &autoscalingv2.ContainerResourceMetricStatus{Name: m.Name, Container: m.Container,
			Current: autoscalingv2.MetricValueStatus{
				AverageUtilization: m.CurrentAverageUtilization, AverageValue: &m.CurrentAverageValue}}
	}
	if m := in.Pods; m != nil {
		out.Pods = &autoscalingv2.PodsMetricStatus{Current: autoscalingv2.MetricValueStatus{AverageValue: &m.CurrentAverageValue},
			Metric: autoscalingv2.MetricIdentifier{Name: m.MetricName, Selector: m.Selector}}
	}
	if m := in.Object; m != nil {
		out.Object = &autoscalingv2.ObjectMetricStatus{DescribedObject: autoscalingv2.CrossVersionObjectReference(m.Target),
			Current: autoscalingv2.MetricValueStatus{Value: &m.CurrentValue, AverageValue: m.AverageValue},
			Metric:  autoscalingv2.MetricIdentifier{Name: m.MetricName, Selector: m.Selector}}
	}
	if m := in.External; m != nil {
		out.External = &autoscalingv2.ExternalMetricStatus{
			Current: autoscalingv2.MetricValueStatus{Value: &m.CurrentValue, AverageValue: m.CurrentAverageValue},
			Metric:  autoscalingv2.MetricIdentifier{Name: m.MetricName, Selector: m.MetricSelector}}
	}
	return out
}

func valueOf(q *resource.Quantity) resource.Quantity {
	if q == nil {
		return resource.Quantity{}
	}
	return *q
}

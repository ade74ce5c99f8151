package kinds

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func selectorOf(labels map[string]string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: labels}
}

// defaultSecret also turns text into bytes: the field for text is for writing only.
func defaultSecret(s *corev1.Secret) {
	orDefault(&s.Type, corev1.SecretTypeOpaque)
	if len(s.StringData) > 0 && s.Data == nil {
		s.Data = map[string][]byte{}
	}
	for key, value := range s.StringData {
		s.Data[key] = []byte(value)
	}
	s.StringData = nil
}

//lint:ignore SA1019 it is still served
func defaultEndpoints(e *corev1.Endpoints) {
	for i := range e.Subsets {
		for j := range e.Subsets[i].Ports {
			orDefault(&e.Subsets[i].Ports[j].Protocol, corev1.ProtocolTCP)
		}
	}
}

func defaultLimitRange(l *corev1.LimitRange) {
	for i := range l.Spec.Limits {
		item := &l.Spec.Limits[i]
		if item.Type != corev1.LimitTypeContainer {
			continue
		}
		item.Default = merge(item.Default, item.Max)
		item.DefaultRequest = merge(merge(item.DefaultRequest, item.Default), item.Min)
	}
}

// merge adds to a list what it lacks.
func merge(list, more corev1.ResourceList) corev1.ResourceList {
	if list == nil {
		list = corev1.ResourceList{}
	}
	for name, quantity := range more {
		if _, set := list[name]; !set {
			list[name] = quantity.DeepCopy()
		}
	}
	return list
}

func defaultNetworkPolicy(n *networkingv1.NetworkPolicy) {
	if len(n.Spec.PolicyTypes) == 0 {
		n.Spec.PolicyTypes = []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
		if len(n.Spec.Egress) > 0 {
			n.Spec.PolicyTypes = append(n.Spec.PolicyTypes, networkingv1.PolicyTypeEgress)
		}
	}
	for i := range n.Spec.Ingress {
		defaultPolicyPorts(n.Spec.Ingress[i].Ports)
	}
	for i := range n.Spec.Egress {
		defaultPolicyPorts(n.Spec.Egress[i].Ports)
	}
}

func defaultPolicyPorts(ports []networkingv1.NetworkPolicyPort) {
	for i := range ports {
		orDefaultPtr(&ports[i].Protocol, corev1.ProtocolTCP)
	}
}

func defaultCSIDriver(d *storagev1.CSIDriver) {
	spec := &d.Spec
	orDefaultPtr(&spec.AttachRequired, true)
	orDefaultPtr(&spec.PodInfoOnMount, false)
	orDefaultPtr(&spec.StorageCapacity, false)
	orDefaultPtr(&spec.FSGroupPolicy, storagev1.ReadWriteOnceWithFSTypeFSGroupPolicy)
	orDefaultPtr(&spec.RequiresRepublish, false)
	orDefaultPtr(&spec.SELinuxMount, false)
	if len(spec.VolumeLifecycleModes) == 0 {
		spec.VolumeLifecycleModes = []storagev1.VolumeLifecycleMode{storagev1.VolumeLifecyclePersistent}
	}
}

func defaultAutoscaler(a *autoscalingv2.HorizontalPodAutoscaler) {
	orDefaultPtr(&a.Spec.MinReplicas, 1)
	if len(a.Spec.Metrics) == 0 {
		a.Spec.Metrics = []autoscalingv2.MetricSpec{{
			Type: autoscalingv2.ResourceMetricSourceType,
			Resource: &autoscalingv2.ResourceMetricSource{Name: corev1.ResourceCPU, Target: autoscalingv2.MetricTarget{
				Type: autoscalingv2.UtilizationMetricType, AverageUtilization: ptr(int32(80))}},
		}}
	}
	if b := a.Spec.Behavior; b != nil {
		b.ScaleUp = defaultScaling(b.ScaleUp, ptr(int32(0)), []autoscalingv2.HPAScalingPolicy{
			{Type: autoscalingv2.PodsScalingPolicy, Value: 4, PeriodSeconds: 15},
			{Type: autoscalingv2.PercentScalingPolicy, Value: 100, PeriodSeconds: 15},
		})
		b.ScaleDown = defaultScaling(b.ScaleDown, nil, []autoscalingv2.HPAScalingPolicy{
			{Type: autoscalingv2.PercentScalingPolicy, Value: 100, PeriodSeconds: 15},
		})
	}
}

func defaultScaling(rules *autoscalingv2.HPAScalingRules, window *int32, policies []autoscalingv2.HPAScalingPolicy) *autoscalingv2.HPAScalingRules {
	if rules == nil {
		rules = &autoscalingv2.HPAScalingRules{}
	}
	orDefaultPtr(&rules.SelectPolicy, autoscalingv2.MaxChangePolicySelect)
	if rules.StabilizationWindowSeconds == nil {
		rules.StabilizationWindowSeconds = window
	}
	if rules.Policies == nil {
		rules.Policies = policies
	}
	return rules
}

func defaultValidatingWebhooks(c *admissionv1.ValidatingWebhookConfiguration) {
	for i := range c.Webhooks {
		w := &c.Webhooks[i]
		orDefaultPtr(&w.FailurePolicy, admissionv1.Fail)
		orDefaultPtr(&w.MatchPolicy, admissionv1.Equivalent)
		orDefaultPtr(&w.NamespaceSelector, metav1.LabelSelector{})
		orDefaultPtr(&w.ObjectSelector, metav1.LabelSelector{})
		orDefaultPtr(&w.TimeoutSeconds, 10)
		defaultRules(w.Rules, w.ClientConfig)
	}
}

func defaultMutatingWebhooks(c *admissionv1.MutatingWebhookConfiguration) {
	for i := range c.Webhooks {
		w := &c.Webhooks[i]
		orDefaultPtr(&w.FailurePolicy, admissionv1.Fail)
		orDefaultPtr(&w.MatchPolicy, admissionv1.Equivalent)
		orDefaultPtr(&w.NamespaceSelector, metav1.LabelSelector{})
		orDefaultPtr(&w.ObjectSelector, metav1.LabelSelector{})
		orDefaultPtr(&w.TimeoutSeconds, 10)
		orDefaultPtr(&w.ReinvocationPolicy, admissionv1.NeverReinvocationPolicy)
		defaultRules(w.Rules, w.ClientConfig)
	}
}

func defaultRules(rules []admissionv1.RuleWithOperations, client admissionv1.WebhookClientConfig) {
	for i := range rules {
		orDefaultPtr(&rules[i].Scope, admissionv1.AllScopes)
	}
	if client.Service != nil {
		orDefaultPtr(&client.Service.Port, 443)
	}
}

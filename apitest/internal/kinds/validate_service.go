package kinds

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func headless(s *corev1.Service) bool { return s.Spec.ClusterIP == corev1.ClusterIPNone }

func validateService(s *corev1.Service) (errs field.ErrorList) {
	if len(s.Spec.Ports) == 0 && !headless(s) && s.Spec.Type != corev1.ServiceTypeExternalName {
		errs = append(errs, field.Required(specPath.Child("ports"), ""))
	}
	errs = append(errs, validateServiceType(s)...)
	names := sets.New[string]()
	for i, port := range s.Spec.Ports {
		errs = append(errs, validateServicePort(port, len(s.Spec.Ports) > 1, names, specPath.Child("ports").Index(i))...)
	}
	errs = append(errs, metavalidation.ValidateLabels(s.Spec.Selector, specPath.Child("selector"))...)
	errs = append(errs, oneOf(s.Spec.SessionAffinity, specPath.Child("sessionAffinity"),
		corev1.ServiceAffinityClientIP, corev1.ServiceAffinityNone)...)
	if ips := s.Spec.ClusterIPs; s.Spec.Type != corev1.ServiceTypeExternalName && len(ips) > 0 {
		if ips[0] != s.Spec.ClusterIP {
			errs = append(errs, field.Invalid(specPath.Child("clusterIPs"), ips, "first value must match `clusterIP`"))
		}
		for i, ip := range ips {
			if ip != corev1.ClusterIPNone {
				errs = append(errs, validation.IsValidIPForLegacyField(specPath.Child("clusterIPs").Index(i), ip, true, nil)...)
			}
		}
	}
	errs = append(errs, oneOf(s.Spec.Type, specPath.Child("type"), corev1.ServiceTypeClusterIP, corev1.ServiceTypeExternalName,
		corev1.ServiceTypeLoadBalancer, corev1.ServiceTypeNodePort)...)
	return append(errs, validateNodePorts(s)...)
}

func validateServiceType(s *corev1.Service) (errs field.ErrorList) {
	switch s.Spec.Type {
	case corev1.ServiceTypeLoadBalancer, corev1.ServiceTypeNodePort:
		if headless(s) {
			errs = append(errs, field.Invalid(specPath.Child("clusterIPs").Index(0), corev1.ClusterIPNone,
				"may not be set to 'None' for "+string(s.Spec.Type)+" services"))
		}
	case corev1.ServiceTypeExternalName:
		if len(s.Spec.ClusterIPs) > 0 {
			errs = append(errs, field.Forbidden(specPath.Child("clusterIPs"), "may not be set for ExternalName services"))
		}
		at := specPath.Child("externalName")
		if name := strings.TrimSuffix(s.Spec.ExternalName, "."); name == "" {
			errs = append(errs, field.Required(at, ""))
		} else {
			errs = append(errs, messages(at, name, validation.IsDNS1123Subdomain(name))...)
		}
	}
	return errs
}

func validateServicePort(port corev1.ServicePort, named bool, names sets.Set[string], at *field.Path) (errs field.ErrorList) {
	switch {
	case port.Name == "" && named:
		errs = append(errs, field.Required(at.Child("name"), ""))
	case port.Name != "":
		errs = append(errs, messages(at.Child("name"), port.Name, validation.IsDNS1123Label(port.Name))...)
		errs = append(errs, unique(names, port.Name, at.Child("name"))...)
	}
	errs = append(errs, validatePortNumber(port.Port, at.Child("port"))...)
	errs = append(errs, validateProtocol(port.Protocol, at.Child("protocol"))...)
	target := at.Child("targetPort")
	if port.TargetPort.Type == intstr.Int {
		return append(errs, validatePortNumber(port.TargetPort.IntVal, target)...)
	}
	return append(errs, messages(target, port.TargetPort.StrVal, validation.IsValidPortName(port.TargetPort.StrVal))...)
}

func validateNodePorts(s *corev1.Service) (errs field.ErrorList) {
	type key struct {
		protocol corev1.Protocol
		port     int32
	}
	var nodePorts, ports []key
	for i, port := range s.Spec.Ports {
		at := specPath.Child("ports").Index(i)
		if port.NodePort != 0 {
			if s.Spec.Type == corev1.ServiceTypeClusterIP {
				errs = append(errs, field.Forbidden(at.Child("nodePort"), "may not be used when `type` is 'ClusterIP'"))
			}
			if slices.Contains(nodePorts, key{port.Protocol, port.NodePort}) {
				errs = append(errs, field.Duplicate(at.Child("nodePort"), port.NodePort))
			}
			nodePorts = append(nodePorts, key{port.Protocol, port.NodePort})
		}
		if slices.Contains(ports, key{port.Protocol, port.Port}) {
			errs = append(errs, field.Duplicate(at, corev1.ServicePort{Protocol: port.Protocol, Port: port.Port}))
		}
		ports = append(ports, key{port.Protocol, port.Port})
	}
	return errs
}

func validateServiceChange(s, old *corev1.Service) (errs field.ErrorList) {
	if s.Spec.Type == corev1.ServiceTypeExternalName || old.Spec.Type == corev1.ServiceTypeExternalName {
		return nil
	}
	at := specPath.Child("clusterIPs")
	for i, ip := range old.Spec.ClusterIPs {
		if i < len(s.Spec.ClusterIPs) && s.Spec.ClusterIPs[i] != ip {
			errs = append(errs, field.Invalid(at.Index(i), s.Spec.ClusterIPs, "may not change once set"))
		}
	}
	return errs
}

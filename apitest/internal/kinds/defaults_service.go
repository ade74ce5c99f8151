package kinds

import (
	"fmt"
	"hash/fnv"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func defaultService(s *corev1.Service) {
	spec := &s.Spec
	orDefault(&spec.SessionAffinity, corev1.ServiceAffinityNone)
	switch spec.SessionAffinity {
	case corev1.ServiceAffinityNone:
		spec.SessionAffinityConfig = nil
	case corev1.ServiceAffinityClientIP:
		if c := spec.SessionAffinityConfig; c == nil || c.ClientIP == nil || c.ClientIP.TimeoutSeconds == nil {
			spec.SessionAffinityConfig = &corev1.SessionAffinityConfig{
				ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: ptr(corev1.DefaultClientIPServiceAffinitySeconds)}}
		}
	}
	orDefault(&spec.Type, corev1.ServiceTypeClusterIP)
	for i := range spec.Ports {
		port := &spec.Ports[i]
		orDefault(&port.Protocol, corev1.ProtocolTCP)
		if port.TargetPort == intstr.FromInt32(0) || port.TargetPort == intstr.FromString("") {
			port.TargetPort = intstr.FromInt32(port.Port)
		}
	}
	if spec.Type == corev1.ServiceTypeNodePort || spec.Type == corev1.ServiceTypeLoadBalancer ||
		spec.Type == corev1.ServiceTypeClusterIP && len(spec.ExternalIPs) > 0 {
		orDefault(&spec.ExternalTrafficPolicy, corev1.ServiceExternalTrafficPolicyCluster)
	}
	if spec.Type != corev1.ServiceTypeExternalName {
		orDefaultPtr(&spec.InternalTrafficPolicy, corev1.ServiceInternalTrafficPolicyCluster)
	}
	if spec.Type == corev1.ServiceTypeLoadBalancer {
		orDefaultPtr(&spec.AllocateLoadBalancerNodePorts, true)
	}
}

// allocate gives a service what it needs: addresses and ports. They cannot be reached, but they look right, stay the same for
// the same service, and two services hardly ever get the same.
func allocate(s *corev1.Service) {
	spec := &s.Spec
	if spec.Type == corev1.ServiceTypeExternalName {
		return
	}
	hash := fnv.New32a()
	fmt.Fprint(hash, s.Namespace, "/", s.Name, s.UID)
	sum := hash.Sum32()
	if spec.ClusterIP == "" && len(spec.ClusterIPs) > 0 {
		spec.ClusterIP = spec.ClusterIPs[0]
	}
	if spec.ClusterIP == "" {
		spec.ClusterIP = fmt.Sprintf("10.%d.%d.%d", byte(sum>>16), byte(sum>>8), 1+byte(sum)%254)
	}
	if len(spec.ClusterIPs) == 0 {
		spec.ClusterIPs = []string{spec.ClusterIP}
	}
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = []corev1.IPFamily{corev1.IPv4Protocol}
	}
	orDefaultPtr(&spec.IPFamilyPolicy, corev1.IPFamilyPolicySingleStack)
	allocatePorts(s, sum)
}

func allocatePorts(s *corev1.Service, sum uint32) {
	balanced := s.Spec.Type == corev1.ServiceTypeLoadBalancer && *s.Spec.AllocateLoadBalancerNodePorts
	if s.Spec.Type != corev1.ServiceTypeNodePort && !balanced {
		return
	}
	for i := range s.Spec.Ports {
		orDefault(&s.Spec.Ports[i].NodePort, 30000+int32((sum+uint32(i))%2768))
	}
}

// keepAllocated fills in what the client left out of an update: it had no choice in it at first.
func keepAllocated(s, old *corev1.Service) {
	spec := &s.Spec
	if old.Spec.Type == corev1.ServiceTypeExternalName || spec.Type == corev1.ServiceTypeExternalName {
		release(s, old)
		allocate(s)
		return
	}
	if spec.ClusterIP == "" && len(spec.ClusterIPs) == 0 {
		spec.ClusterIP, spec.ClusterIPs = old.Spec.ClusterIP, old.Spec.ClusterIPs
	}
	followClusterIP(spec, &old.Spec)
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = old.Spec.IPFamilies
	}
	if spec.IPFamilyPolicy == nil {
		spec.IPFamilyPolicy = old.Spec.IPFamilyPolicy
	}
	for i := range spec.Ports {
		for _, before := range old.Spec.Ports {
			if spec.Type != corev1.ServiceTypeClusterIP && spec.Ports[i].NodePort == 0 &&
				before.Port == spec.Ports[i].Port && before.Protocol == spec.Ports[i].Protocol {
				spec.Ports[i].NodePort = before.NodePort
			}
		}
	}
	if spec.Type == corev1.ServiceTypeClusterIP && old.Spec.Type != corev1.ServiceTypeClusterIP {
		for i, port := range spec.Ports {
			if i < len(old.Spec.Ports) && port.NodePort == old.Spec.Ports[i].NodePort {
				spec.Ports[i].NodePort = 0
			}
		}
	}
	allocate(s)
}

// followClusterIP is for clients that know the one address only: if they change it, they mean the first of the list.
func followClusterIP(spec, old *corev1.ServiceSpec) {
	if spec.ClusterIP == old.ClusterIP || !slices.Equal(spec.ClusterIPs, old.ClusterIPs) {
		return
	}
	if spec.ClusterIP == "" {
		spec.ClusterIPs = nil
		return
	}
	spec.ClusterIPs = []string{spec.ClusterIP}
}

// release gives back what a service without an address has no use for, if the client did not ask for something else.
func release(s, old *corev1.Service) {
	if s.Spec.Type == corev1.ServiceTypeExternalName && s.Spec.ClusterIP == old.Spec.ClusterIP {
		s.Spec.ClusterIP, s.Spec.ClusterIPs = "", nil
		s.Spec.IPFamilies, s.Spec.IPFamilyPolicy = nil, nil
	}
}

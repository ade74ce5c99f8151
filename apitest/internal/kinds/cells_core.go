package kinds

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
)

func coreCells(obj runtime.Object) []any {
	switch o := obj.(type) {
	case *corev1.Namespace:
		return []any{o.Name, string(o.Status.Phase), age(o.CreationTimestamp)}
	case *corev1.ConfigMap:
		return []any{o.Name, int64(len(o.Data) + len(o.BinaryData)), age(o.CreationTimestamp)}
	case *corev1.Secret:
		return []any{o.Name, string(o.Type), int64(len(o.Data)), age(o.CreationTimestamp)}
	case *corev1.ServiceAccount:
		return []any{o.Name, age(o.CreationTimestamp)}
	//lint:ignore SA1019 it is still served
	case *corev1.Endpoints:
		return []any{o.Name, endpointsCell(o), age(o.CreationTimestamp)}
	case *corev1.Service:
		return serviceCells(o)
	case *corev1.Node:
		return nodeCells(o)
	case *corev1.PersistentVolume:
		return volumeCells(o)
	case *corev1.PersistentVolumeClaim:
		return claimCells(o)
	case *corev1.ResourceQuota:
		return quotaCells(o)
	}
	return nil
}

// atMost joins the first few, and says how many there are besides.
func atMost(most int, list []string) string {
	if len(list) > most {
		return fmt.Sprintf("%s + %d more...", strings.Join(list[:most], ","), len(list)-most)
	}
	return strings.Join(list, ",")
}

//lint:ignore SA1019 it is still served
func endpointsCell(e *corev1.Endpoints) string {
	var list []string
	for _, subset := range e.Subsets {
		for _, a := range subset.Addresses {
			if len(subset.Ports) == 0 {
				list = append(list, a.IP)
			}
		}
		for _, port := range subset.Ports {
			for _, a := range subset.Addresses {
				list = append(list, net.JoinHostPort(a.IP, strconv.Itoa(int(port.Port))))
			}
		}
	}
	if len(e.Subsets) == 0 {
		return "<none>"
	}
	return atMost(3, list)
}

func serviceCells(s *corev1.Service) []any {
	cluster := "<none>"
	if len(s.Spec.ClusterIPs) > 0 {
		cluster = s.Spec.ClusterIPs[0]
	}
	var ports []string
	for _, p := range s.Spec.Ports {
		if p.NodePort > 0 {
			ports = append(ports, fmt.Sprintf("%d:%d/%s", p.Port, p.NodePort, p.Protocol))
		} else {
			ports = append(ports, fmt.Sprintf("%d/%s", p.Port, p.Protocol))
		}
	}
	return []any{s.Name, string(s.Spec.Type), cluster, externalIPCell(s), or(strings.Join(ports, ","), "<none>"),
		age(s.CreationTimestamp), labels.FormatLabels(s.Spec.Selector)}
}

func externalIPCell(s *corev1.Service) string {
	switch s.Spec.Type {
	case corev1.ServiceTypeClusterIP, corev1.ServiceTypeNodePort:
		return or(strings.Join(s.Spec.ExternalIPs, ","), "<none>")
	case corev1.ServiceTypeLoadBalancer:
		balancers := sets.New[string]()
		for _, ingress := range s.Status.LoadBalancer.Ingress {
			if at := or(ingress.IP, ingress.Hostname); at != "" {
				balancers.Insert(at)
			}
		}
		return or(strings.Join(append(sets.List(balancers), s.Spec.ExternalIPs...), ","), "<pending>")
	case corev1.ServiceTypeExternalName:
		return s.Spec.ExternalName
	}
	return "<unknown>"
}

func nodeCells(n *corev1.Node) []any {
	status := "Unknown"
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			status = "NotReady"
			if c.Status == corev1.ConditionTrue {
				status = "Ready"
			}
		}
	}
	if n.Spec.Unschedulable {
		status += ",SchedulingDisabled"
	}
	info := n.Status.NodeInfo
	kernel := or(info.KernelVersion, "<unknown>")
	if info.Architecture != "" {
		kernel += " (" + info.Architecture + ")"
	}
	return []any{n.Name, status, or(rolesCell(n), "<none>"), age(n.CreationTimestamp), info.KubeletVersion,
		nodeAddress(n, corev1.NodeInternalIP), nodeAddress(n, corev1.NodeExternalIP), or(info.OSImage, "<unknown>"), kernel,
		or(info.ContainerRuntimeVersion, "<unknown>")}
}

func rolesCell(n *corev1.Node) string {
	roles := sets.New[string]()
	for key, value := range n.Labels {
		if role, ok := strings.CutPrefix(key, "node-role.kubernetes.io/"); ok && role != "" {
			roles.Insert(role)
		} else if key == "kubernetes.io/role" && value != "" {
			roles.Insert(value)
		}
	}
	return strings.Join(sets.List(roles), ",")
}

func nodeAddress(n *corev1.Node, kind corev1.NodeAddressType) string {
	for _, a := range n.Status.Addresses {
		if a.Type == kind {
			return a.Address
		}
	}
	return "<none>"
}

func modesCell(modes []corev1.PersistentVolumeAccessMode) string {
	short := map[corev1.PersistentVolumeAccessMode]string{corev1.ReadWriteOnce: "RWO", corev1.ReadOnlyMany: "ROX",
		corev1.ReadWriteMany: "RWX", corev1.ReadWriteOncePod: "RWOP"}
	var list []string
	for _, mode := range []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce, corev1.ReadOnlyMany, corev1.ReadWriteMany, corev1.ReadWriteOncePod} {
		if slices.Contains(modes, mode) {
			list = append(list, short[mode])
		}
	}
	return strings.Join(list, ",")
}

func volumeCells(v *corev1.PersistentVolume) []any {
	claim, phase := "", string(v.Status.Phase)
	if ref := v.Spec.ClaimRef; ref != nil {
		claim = ref.Namespace + "/" + ref.Name
	}
	if v.DeletionTimestamp != nil {
		phase = "Terminating"
	}
	capacity := v.Spec.Capacity[corev1.ResourceStorage]
	return []any{v.Name, capacity.String(), modesCell(v.Spec.AccessModes), string(v.Spec.PersistentVolumeReclaimPolicy), phase,
		claim, or(v.Annotations[corev1.BetaStorageClassAnnotation], v.Spec.StorageClassName),
		orPtr(v.Spec.VolumeAttributesClassName, "<unset>"), v.Status.Reason, age(v.CreationTimestamp), orPtr(v.Spec.VolumeMode, "<unset>")}
}

func claimCells(c *corev1.PersistentVolumeClaim) []any {
	phase, capacity, modes := string(c.Status.Phase), "", ""
	if c.DeletionTimestamp != nil {
		phase = "Terminating"
	}
	if c.Spec.VolumeName != "" {
		storage := c.Status.Capacity[corev1.ResourceStorage]
		capacity, modes = storage.String(), modesCell(c.Status.AccessModes)
	}
	return []any{c.Name, phase, c.Spec.VolumeName, capacity, modes,
		or(c.Annotations[corev1.BetaStorageClassAnnotation], orPtr(c.Spec.StorageClassName, "")),
		orPtr(c.Spec.VolumeAttributesClassName, "<unset>"), age(c.CreationTimestamp), orPtr(c.Spec.VolumeMode, "<unset>")}
}

func quotaCells(q *corev1.ResourceQuota) []any {
	var requests, limits []string
	for _, name := range slices.Sorted(maps.Keys(q.Status.Hard)) {
		used, hard := q.Status.Used[name], q.Status.Hard[name]
		text := fmt.Sprintf("%s: %s/%s", name, used.String(), hard.String())
		if strings.HasPrefix(string(name), "limits.") {
			limits = append(limits, text)
		} else {
			requests = append(requests, text)
		}
	}
	return []any{q.Name, strings.Join(requests, ", "), strings.Join(limits, ", "), age(q.CreationTimestamp)}
}

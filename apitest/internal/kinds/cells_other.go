package kinds

import (
	"strconv"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"
)

func otherCells(obj runtime.Object) []any {
	switch o := obj.(type) {
	case *networkingv1.Ingress:
		return ingressCells(o)
	case *networkingv1.IngressClass:
		return ingressClassCells(o)
	case *networkingv1.NetworkPolicy:
		return []any{o.Name, metav1.FormatLabelSelector(&o.Spec.PodSelector), age(o.CreationTimestamp)}
	case *networkingv1.ServiceCIDR:
		return []any{o.Name, strings.Join(o.Spec.CIDRs, ","), age(o.CreationTimestamp)}
	case *networkingv1.IPAddress:
		return addressCells(o)
	case *discoveryv1.EndpointSlice:
		return sliceCells(o)
	case *policyv1.PodDisruptionBudget:
		return []any{o.Name, budgetCell(o.Spec.MinAvailable), budgetCell(o.Spec.MaxUnavailable),
			int64(o.Status.DisruptionsAllowed), age(o.CreationTimestamp)}
	case *rbacv1.RoleBinding:
		return bindingCells(o.ObjectMeta, o.RoleRef, o.Subjects)
	case *rbacv1.ClusterRoleBinding:
		return bindingCells(o.ObjectMeta, o.RoleRef, o.Subjects)
	case *coordinationv1.Lease:
		return []any{o.Name, orPtr(o.Spec.HolderIdentity, ""), age(o.CreationTimestamp)}
	case *storagev1.StorageClass:
		return classCells(o)
	case *storagev1.CSINode:
		return []any{o.Name, int64(len(o.Spec.Drivers)), age(o.CreationTimestamp)}
	case *storagev1.VolumeAttachment:
		return []any{o.Name, o.Spec.Attacher, orPtr(o.Spec.Source.PersistentVolumeName, ""), o.Spec.NodeName, o.Status.Attached,
			age(o.CreationTimestamp)}
	case *storagev1.VolumeAttributesClass:
		return []any{o.Name, o.DriverName, age(o.CreationTimestamp)}
	case *schedulingv1.PriorityClass:
		return []any{o.Name, int64(o.Value), o.GlobalDefault, age(o.CreationTimestamp), orPtr(o.PreemptionPolicy, "")}
	case *nodev1.RuntimeClass:
		return []any{o.Name, o.Handler, age(o.CreationTimestamp)}
	case *admissionv1.ValidatingWebhookConfiguration:
		return []any{o.Name, int64(len(o.Webhooks)), age(o.CreationTimestamp)}
	case *admissionv1.MutatingWebhookConfiguration:
		return []any{o.Name, int64(len(o.Webhooks)), age(o.CreationTimestamp)}
	case *resourcev1.DeviceClass:
		return []any{o.Name, age(o.CreationTimestamp)}
	case *resourcev1.ResourceClaimTemplate:
		return []any{o.Name, age(o.CreationTimestamp)}
	case *resourcev1.ResourceSlice:
		return []any{o.Name, orPtr(o.Spec.NodeName, ""), o.Spec.Driver, o.Spec.Pool.Name, age(o.CreationTimestamp)}
	case *resourcev1.ResourceClaim:
		return []any{o.Name, resourceClaimCell(o), age(o.CreationTimestamp)}
	}
	return rareCells(obj)
}

func ingressCells(i *networkingv1.Ingress) []any {
	var hosts []string
	for _, rule := range i.Spec.Rules {
		if rule.Host != "" {
			hosts = append(hosts, rule.Host)
		}
	}
	addresses := sets.New[string]()
	for _, at := range i.Status.LoadBalancer.Ingress {
		if text := or(at.IP, at.Hostname); text != "" {
			addresses.Insert(text)
		}
	}
	ports := "80"
	if len(i.Spec.TLS) > 0 {
		ports = "80, 443"
	}
	return []any{i.Name, orPtr(i.Spec.IngressClassName, "<none>"), or(atMost(3, hosts), "*"), strings.Join(sets.List(addresses), ","),
		ports, age(i.CreationTimestamp)}
}

func ingressClassCells(c *networkingv1.IngressClass) []any {
	name, parameters := c.Name, "<none>"
	if c.Annotations[networkingv1.AnnotationIsDefaultIngressClass] == "true" {
		name += " (default)"
	}
	if p := c.Spec.Parameters; p != nil {
		parameters = p.Kind
		if p.APIGroup != nil {
			parameters += "." + *p.APIGroup
		}
		parameters += "/" + p.Name
	}
	return []any{name, c.Spec.Controller, parameters, age(c.CreationTimestamp)}
}

func addressCells(a *networkingv1.IPAddress) []any {
	parent := "<none>"
	if ref := a.Spec.ParentRef; ref != nil {
		parent = strings.ToLower(ref.Resource)
		if ref.Group != "" {
			parent += "." + strings.ToLower(ref.Group)
		}
		if ref.Namespace != "" {
			parent += "/" + ref.Namespace
		}
		parent += "/" + ref.Name
	}
	return []any{a.Name, parent, age(a.CreationTimestamp)}
}

func sliceCells(s *discoveryv1.EndpointSlice) []any {
	var ports, addresses []string
	for _, p := range s.Ports {
		switch {
		case p.Port != nil:
			ports = append(ports, strconv.Itoa(int(*p.Port)))
		case p.Name != nil:
			ports = append(ports, *p.Name)
		default:
			ports = append(ports, "*")
		}
	}
	for _, e := range s.Endpoints {
		addresses = append(addresses, e.Addresses...)
	}
	return []any{s.Name, string(s.AddressType), or(atMost(3, ports), "<unset>"), or(atMost(3, addresses), "<unset>"), age(s.CreationTimestamp)}
}

func budgetCell(n *intstr.IntOrString) string {
	if n == nil {
		return "N/A"
	}
	return n.String()
}

func bindingCells(m metav1.ObjectMeta, ref rbacv1.RoleRef, subjects []rbacv1.Subject) []any {
	by := map[string][]string{}
	for _, s := range subjects {
		name := s.Name
		if s.Kind == rbacv1.ServiceAccountKind && s.Namespace != "" {
			name = s.Namespace + "/" + name
		}
		by[s.Kind] = append(by[s.Kind], name)
	}
	list := func(kind string) string { return strings.Join(by[kind], ", ") }
	return []any{m.Name, ref.Kind + "/" + ref.Name, age(m.CreationTimestamp), list(rbacv1.UserKind), list(rbacv1.GroupKind),
		list(rbacv1.ServiceAccountKind)}
}

func classCells(c *storagev1.StorageClass) []any {
	name := c.Name
	if c.Annotations["storageclass.kubernetes.io/is-default-class"] == "true" {
		name += " (default)"
	}
	return []any{name, c.Provisioner, orPtr(c.ReclaimPolicy, "Delete"), orPtr(c.VolumeBindingMode, "Immediate"),
		c.AllowVolumeExpansion != nil && *c.AllowVolumeExpansion, age(c.CreationTimestamp)}
}

func resourceClaimCell(c *resourcev1.ResourceClaim) string {
	var states []string
	if c.DeletionTimestamp != nil {
		states = append(states, "deleted")
	}
	switch {
	case c.Status.Allocation != nil && len(c.Status.ReservedFor) > 0:
		states = append(states, "allocated", "reserved")
	case c.Status.Allocation != nil:
		states = append(states, "allocated")
	case c.DeletionTimestamp == nil:
		states = append(states, "pending")
	}
	return strings.Join(states, ",")
}

package kinds

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// CreatesOnUpdate reports whether a PUT makes an object that does not exist.
func (k *Kind) CreatesOnUpdate() bool {
	switch k.GroupKind() {
	case schema.GroupKind{Group: "node.k8s.io", Kind: "RuntimeClass"},
		schema.GroupKind{Group: "coordination.k8s.io", Kind: "Lease"},
		schema.GroupKind{Group: "coordination.k8s.io", Kind: "LeaseCandidate"},
		schema.GroupKind{Kind: "LimitRange"}, schema.GroupKind{Kind: "Event"},
		schema.GroupKind{Group: "events.k8s.io", Kind: "Event"},
		schema.GroupKind{Kind: "Service"}, schema.GroupKind{Kind: "Endpoints"}:
		return true
	}
	return k.Group == "rbac.authorization.k8s.io"
}

// conditional are the kinds of which a PUT must name the version that it is meant to replace.
var conditional = []schema.GroupKind{
	{Group: "certificates.k8s.io", Kind: "PodCertificateRequest"}, {Group: "certificates.k8s.io", Kind: "ClusterTrustBundle"},
	{Group: "node.k8s.io", Kind: "RuntimeClass"}, {Group: "policy", Kind: "PodDisruptionBudget"},
	{Group: "storage.k8s.io", Kind: "CSIDriver"}, {Group: "storage.k8s.io", Kind: "CSIStorageCapacity"},
	{Group: "storage.k8s.io", Kind: "VolumeAttachment"}, {Group: "storage.k8s.io", Kind: "CSINode"},
	{Group: "coordination.k8s.io", Kind: "Lease"}, {Group: "coordination.k8s.io", Kind: "LeaseCandidate"},
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}, {Group: "apiregistration.k8s.io", Kind: "APIService"},
}

// UpdatesUnconditionally reports whether a PUT without a resourceVersion replaces whatever is there. If not, it is invalid:
// see Validate.
func (k *Kind) UpdatesUnconditionally() bool {
	return !k.Custom && k.Group != "admissionregistration.k8s.io" && !slices.Contains(conditional, k.GroupKind())
}

// counted are the kinds that count their generations. The rest leave the field alone.
var counted = map[schema.GroupKind]bool{
	{Kind: "Pod"}: true, {Kind: "PodTemplate"}: true, {Kind: "ReplicationController"}: true,
	{Group: "apps", Kind: "Deployment"}: true, {Group: "apps", Kind: "ReplicaSet"}: true,
	{Group: "apps", Kind: "StatefulSet"}: true, {Group: "apps", Kind: "DaemonSet"}: true,
	{Group: "batch", Kind: "Job"}: true, {Group: "batch", Kind: "CronJob"}: true,
	{Group: "networking.k8s.io", Kind: "Ingress"}: true, {Group: "networking.k8s.io", Kind: "IngressClass"}: true,
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}: true, {Group: "discovery.k8s.io", Kind: "EndpointSlice"}: true,
	{Group: "policy", Kind: "PodDisruptionBudget"}: true, {Group: "scheduling.k8s.io", Kind: "PriorityClass"}: true,
	{Group: "resource.k8s.io", Kind: "ResourceSlice"}: true, {Group: "resource.k8s.io", Kind: "DeviceClass"}: true,
	{Group: "resource.k8s.io", Kind: "DeviceTaintRule"}:                         true,
	{Group: "flowcontrol.apiserver.k8s.io", Kind: "FlowSchema"}:                 true,
	{Group: "flowcontrol.apiserver.k8s.io", Kind: "PriorityLevelConfiguration"}: true,
}

func (k *Kind) counts() bool {
	return counted[k.GroupKind()] || k.Group == "admissionregistration.k8s.io"
}

// setGeneration counts the changes of what the user wants.
func (k *Kind) setGeneration(obj, old runtime.Object, op Operation) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return
	}
	if op == Create {
		if k.counts() {
			m.SetGeneration(1)
		}
		return
	}
	before, err := meta.Accessor(old)
	if err != nil {
		return
	}
	m.SetGeneration(before.GetGeneration())
	if op == Update && k.counts() && k.Kind != "PriorityClass" && wantsOther(obj, old) {
		m.SetGeneration(before.GetGeneration() + 1)
	}
}

// wantsOther compares all but metadata and status.
func wantsOther(obj, old runtime.Object) bool {
	now, before := structOf(obj), structOf(old)
	for i := range now.NumField() {
		switch now.Type().Field(i).Name {
		case "TypeMeta", "ObjectMeta", "Status":
			continue
		}
		if !equality.Semantic.DeepEqual(now.Field(i).Interface(), before.Field(i).Interface()) {
			return true
		}
	}
	if d, ok := obj.(*appsv1.Deployment); ok {
		// A rollout may be asked for by an annotation.
		return !equality.Semantic.DeepEqual(d.Annotations, old.(*appsv1.Deployment).Annotations)
	}
	return false
}

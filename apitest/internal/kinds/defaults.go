package kinds

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// setDefaults fills in what the object does not say. The real server does it whenever it reads an object, be it from a
// client or from its store.
func setDefaults(obj runtime.Object) {
	switch o := obj.(type) {
	case *corev1.Pod:
		defaultPod(o)
	case *corev1.PodTemplate:
		defaultPodSpec(&o.Template.Spec)
	case *corev1.ReplicationController:
		defaultReplicationController(o)
	case *corev1.Service:
		defaultService(o)
	//lint:ignore SA1019 it is still served
	case *corev1.Endpoints:
		defaultEndpoints(o)
	case *corev1.Secret:
		defaultSecret(o)
	case *corev1.Namespace:
		if o.Name != "" {
			labelsOf(&o.ObjectMeta)[corev1.LabelMetadataName] = o.Name
		}
	case *corev1.Node:
		if o.Status.Allocatable == nil && o.Status.Capacity != nil {
			o.Status.Allocatable = o.Status.Capacity.DeepCopy()
		}
	case *corev1.PersistentVolume:
		orDefault(&o.Spec.PersistentVolumeReclaimPolicy, corev1.PersistentVolumeReclaimRetain)
		orDefaultPtr(&o.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
		if o.Spec.HostPath != nil {
			orDefaultPtr(&o.Spec.HostPath.Type, corev1.HostPathUnset)
		}
	case *corev1.PersistentVolumeClaim:
		orDefaultPtr(&o.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	case *corev1.LimitRange:
		defaultLimitRange(o)
	case *appsv1.Deployment:
		defaultDeployment(o)
	case *appsv1.ReplicaSet:
		orDefaultPtr(&o.Spec.Replicas, 1)
		defaultPodSpec(&o.Spec.Template.Spec)
	case *appsv1.StatefulSet:
		defaultStatefulSet(o)
	case *appsv1.DaemonSet:
		defaultDaemonSet(o)
	case *batchv1.Job:
		defaultJob(o)
	case *batchv1.CronJob:
		defaultCronJob(o)
	case *autoscalingv1.HorizontalPodAutoscaler:
		orDefaultPtr(&o.Spec.MinReplicas, 1)
		if o.Annotations[hpaMetrics] == "" {
			orDefaultPtr(&o.Spec.TargetCPUUtilizationPercentage, 80)
		}
	case *autoscalingv2.HorizontalPodAutoscaler:
		defaultAutoscaler(o)
	case *networkingv1.NetworkPolicy:
		defaultNetworkPolicy(o)
	case *networkingv1.IngressClass:
		if o.Spec.Parameters != nil {
			orDefaultPtr(&o.Spec.Parameters.Scope, networkingv1.IngressClassParametersReferenceScopeCluster)
		}
	case *discoveryv1.EndpointSlice:
		for i := range o.Ports {
			orDefaultPtr(&o.Ports[i].Name, "")
			orDefaultPtr(&o.Ports[i].Protocol, corev1.ProtocolTCP)
		}
	case *rbacv1.ClusterRoleBinding:
		orDefault(&o.RoleRef.APIGroup, rbacv1.GroupName)
		defaultSubjects(o.Subjects)
	case *rbacv1.RoleBinding:
		orDefault(&o.RoleRef.APIGroup, rbacv1.GroupName)
		defaultSubjects(o.Subjects)
	case *storagev1.StorageClass:
		orDefaultPtr(&o.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete)
		orDefaultPtr(&o.VolumeBindingMode, storagev1.VolumeBindingImmediate)
	case *storagev1.CSIDriver:
		defaultCSIDriver(o)
	case *schedulingv1.PriorityClass:
		orDefaultPtr(&o.PreemptionPolicy, corev1.PreemptLowerPriority)
	case *admissionv1.ValidatingWebhookConfiguration:
		defaultValidatingWebhooks(o)
	case *admissionv1.MutatingWebhookConfiguration:
		defaultMutatingWebhooks(o)
	}
}

func defaultSubjects(subjects []rbacv1.Subject) {
	for i := range subjects {
		if kind := subjects[i].Kind; kind == rbacv1.UserKind || kind == rbacv1.GroupKind {
			orDefault(&subjects[i].APIGroup, rbacv1.GroupName)
		}
	}
}

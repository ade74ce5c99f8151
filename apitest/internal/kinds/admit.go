package kinds

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// admit does what the admission plugins do that are on unless turned off: Priority, DefaultTolerationSeconds,
// StorageObjectInUseProtection, TaintNodesByCondition. Those that need other objects are left out.
func admit(obj runtime.Object) {
	switch o := obj.(type) {
	case *corev1.Pod:
		admitPod(o)
	case *corev1.Node:
		notReady := corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}
		if !slices.ContainsFunc(o.Spec.Taints, func(t corev1.Taint) bool { return t.MatchTaint(&notReady) }) {
			o.Spec.Taints = append(o.Spec.Taints, notReady)
		}
	case *corev1.PersistentVolumeClaim:
		addFinalizer(&o.ObjectMeta, "kubernetes.io/pvc-protection")
	case *corev1.PersistentVolume:
		addFinalizer(&o.ObjectMeta, "kubernetes.io/pv-protection")
	}
}

func addFinalizer(m *metav1.ObjectMeta, name string) {
	if !slices.Contains(m.Finalizers, name) {
		m.Finalizers = append(m.Finalizers, name)
	}
}

// priorities are those of the classes that every cluster has.
var priorities = map[string]int32{"system-cluster-critical": 2000000000, "system-node-critical": 2000001000}

func admitPod(pod *corev1.Pod) {
	orDefaultPtr(&pod.Spec.Priority, priorities[pod.Spec.PriorityClassName])
	orDefaultPtr(&pod.Spec.PreemptionPolicy, corev1.PreemptLowerPriority)
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		tolerates := func(t corev1.Toleration) bool {
			return (t.Key == key || t.Key == "") && (t.Effect == corev1.TaintEffectNoExecute || t.Effect == "")
		}
		if !slices.ContainsFunc(pod.Spec.Tolerations, tolerates) {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Key: key,
				Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr(int64(300))})
		}
	}
}

// onCreate is what single kinds do besides.
func onCreate(obj runtime.Object) {
	switch o := obj.(type) {
	case *corev1.Pod:
		o.Status = corev1.PodStatus{Phase: corev1.PodPending, QOSClass: qosClass(o)}
		if len(o.Spec.SchedulingGates) > 0 {
			o.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
				LastTransitionTime: o.CreationTimestamp, Reason: corev1.PodReasonSchedulingGated, Message: "Scheduling is blocked due to non-empty scheduling gates"}}
		}
	case *corev1.Namespace:
		o.Status.Phase = corev1.NamespaceActive
		if !slices.Contains(o.Spec.Finalizers, corev1.FinalizerKubernetes) {
			o.Spec.Finalizers = append(o.Spec.Finalizers, corev1.FinalizerKubernetes)
		}
	case *corev1.PersistentVolume:
		o.Status.Phase = corev1.VolumePending
		o.Status.LastPhaseTransitionTime = ptr(o.CreationTimestamp)
	case *corev1.PersistentVolumeClaim:
		o.Status.Phase = corev1.ClaimPending
	case *corev1.Service:
		allocate(o)
	case *batchv1.Job:
		selectJobPods(o)
		labelJob(o)
	case *appsv1.DaemonSet:
		countTemplates(o, nil)
	}
}

func onUpdate(obj, old runtime.Object) {
	switch o := obj.(type) {
	case *corev1.Namespace:
		o.Spec.Finalizers = old.(*corev1.Namespace).Spec.Finalizers
	case *corev1.Service:
		keepAllocated(o, old.(*corev1.Service))
	case *corev1.Pod:
		keepAdmitted(o, old.(*corev1.Pod))
	case *batchv1.Job:
		labelJob(o)
	case *appsv1.DaemonSet:
		countTemplates(o, old.(*appsv1.DaemonSet))
	}
}

// keepAdmitted fills in what admission gave the pod, should the client have sent it as it was before.
func keepAdmitted(pod, old *corev1.Pod) {
	if pod.Spec.Priority == nil {
		pod.Spec.Priority = old.Spec.Priority
	}
	if pod.Spec.PreemptionPolicy == nil {
		pod.Spec.PreemptionPolicy = old.Spec.PreemptionPolicy
	}
	admitPod(pod)
}

func onStatusUpdate(obj, old runtime.Object) {
	switch o := obj.(type) {
	case *corev1.Pod:
		before := old.(*corev1.Pod)
		o.OwnerReferences = before.OwnerReferences
		orDefault(&o.Status.QOSClass, before.Status.QOSClass)
	case *appsv1.Deployment:
		o.Labels = old.(*appsv1.Deployment).Labels
	}
}

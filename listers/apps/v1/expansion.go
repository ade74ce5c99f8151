package v1

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/listers/internal/selecting"
)

// DaemonSetListerExpansion finds the daemon sets of a pod.
type DaemonSetListerExpansion interface {
	// GetPodDaemonSets returns the daemon sets whose selectors match a pod. Of these, the one in its controller reference
	// manages it. It is an error if there are none.
	GetPodDaemonSets(pod *corev1.Pod) ([]*appsv1.DaemonSet, error)
	// GetHistoryDaemonSets returns the daemon sets whose selectors match a controller revision. It is an error if there are
	// none.
	GetHistoryDaemonSets(history *appsv1.ControllerRevision) ([]*appsv1.DaemonSet, error)
}

// DaemonSetNamespaceListerExpansion has nothing more.
type DaemonSetNamespaceListerExpansion interface{}

func (l daemonSetLister) GetPodDaemonSets(pod *corev1.Pod) ([]*appsv1.DaemonSet, error) {
	return daemonSetSearch("pod").In(l.DaemonSets(pod.Namespace), pod)
}

func (l daemonSetLister) GetHistoryDaemonSets(history *appsv1.ControllerRevision) ([]*appsv1.DaemonSet, error) {
	return daemonSetSearch("controller revision").In(l.DaemonSets(history.Namespace), history)
}

func daemonSetSearch(of string) selecting.Search[*appsv1.DaemonSet] {
	return selecting.Search[*appsv1.DaemonSet]{
		What: "daemon set", Of: of,
		Selector: func(one *appsv1.DaemonSet) (labels.Selector, error) {
			return metav1.LabelSelectorAsSelector(one.Spec.Selector)
		},
	}
}

// ReplicaSetListerExpansion finds the replica sets of a pod.
type ReplicaSetListerExpansion interface {
	// GetPodReplicaSets returns the replica sets whose selectors match a pod. Of these, the one in its controller reference
	// manages it. It is an error if there are none.
	GetPodReplicaSets(pod *corev1.Pod) ([]*appsv1.ReplicaSet, error)
}

// ReplicaSetNamespaceListerExpansion has nothing more.
type ReplicaSetNamespaceListerExpansion interface{}

func (l replicaSetLister) GetPodReplicaSets(pod *corev1.Pod) ([]*appsv1.ReplicaSet, error) {
	return replicaSetSearch("pod").In(l.ReplicaSets(pod.Namespace), pod)
}

func replicaSetSearch(of string) selecting.Search[*appsv1.ReplicaSet] {
	return selecting.Search[*appsv1.ReplicaSet]{
		What: "replica set", Of: of,
		Selector: func(one *appsv1.ReplicaSet) (labels.Selector, error) {
			return metav1.LabelSelectorAsSelector(one.Spec.Selector)
		},
	}
}

// StatefulSetListerExpansion finds the stateful sets of a pod.
type StatefulSetListerExpansion interface {
	// GetPodStatefulSets returns the stateful sets whose selectors match a pod. Of these, the one in its controller reference
	// manages it. It is an error if there are none.
	GetPodStatefulSets(pod *corev1.Pod) ([]*appsv1.StatefulSet, error)
}

// StatefulSetNamespaceListerExpansion has nothing more.
type StatefulSetNamespaceListerExpansion interface{}

func (l statefulSetLister) GetPodStatefulSets(pod *corev1.Pod) ([]*appsv1.StatefulSet, error) {
	return statefulSetSearch("pod").In(l.StatefulSets(pod.Namespace), pod)
}

func statefulSetSearch(of string) selecting.Search[*appsv1.StatefulSet] {
	return selecting.Search[*appsv1.StatefulSet]{
		What: "stateful set", Of: of,
		Selector: func(one *appsv1.StatefulSet) (labels.Selector, error) {
			return metav1.LabelSelectorAsSelector(one.Spec.Selector)
		},
	}
}

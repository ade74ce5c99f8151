package v1beta1

import (
	appsv1beta1 "k8s.io/api/apps/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/listers/internal/selecting"
)

// StatefulSetListerExpansion finds the stateful sets of a pod.
type StatefulSetListerExpansion interface {
	// GetPodStatefulSets returns the stateful sets whose selectors match a pod. Of these, the one in its controller reference
	// manages it. It is an error if there are none.
	GetPodStatefulSets(pod *corev1.Pod) ([]*appsv1beta1.StatefulSet, error)
}

// StatefulSetNamespaceListerExpansion has nothing more.
type StatefulSetNamespaceListerExpansion interface{}

func (l statefulSetLister) GetPodStatefulSets(pod *corev1.Pod) ([]*appsv1beta1.StatefulSet, error) {
	return statefulSetSearch("pod").In(l.StatefulSets(pod.Namespace), pod)
}

func statefulSetSearch(of string) selecting.Search[*appsv1beta1.StatefulSet] {
	return selecting.Search[*appsv1beta1.StatefulSet]{
		What: "stateful set", Of: of,
		Selector: func(one *appsv1beta1.StatefulSet) (labels.Selector, error) {
			return metav1.LabelSelectorAsSelector(one.Spec.Selector)
		},
	}
}

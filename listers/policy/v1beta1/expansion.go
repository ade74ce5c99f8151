package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/listers/internal/selecting"
)

// PodDisruptionBudgetListerExpansion finds the pod disruption budgets of a pod.
type PodDisruptionBudgetListerExpansion interface {
	// GetPodPodDisruptionBudgets returns the pod disruption budgets whose selectors match a pod. It is an error if there are none.
	GetPodPodDisruptionBudgets(pod *corev1.Pod) ([]*policyv1beta1.PodDisruptionBudget, error)
}

// PodDisruptionBudgetNamespaceListerExpansion has nothing more.
type PodDisruptionBudgetNamespaceListerExpansion interface{}

func (l podDisruptionBudgetLister) GetPodPodDisruptionBudgets(pod *corev1.Pod) ([]*policyv1beta1.PodDisruptionBudget, error) {
	return podDisruptionBudgetSearch("pod").In(l.PodDisruptionBudgets(pod.Namespace), pod)
}

func podDisruptionBudgetSearch(of string) selecting.Search[*policyv1beta1.PodDisruptionBudget] {
	return selecting.Search[*policyv1beta1.PodDisruptionBudget]{
		What: "pod disruption budget", Of: of,
		Selector: func(one *policyv1beta1.PodDisruptionBudget) (labels.Selector, error) {
			return metav1.LabelSelectorAsSelector(one.Spec.Selector)
		},
		Unlabelled: true,
	}
}

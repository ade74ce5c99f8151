package v1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/listers/internal/selecting"
)

// ReplicationControllerListerExpansion finds the replication controllers of a pod.
type ReplicationControllerListerExpansion interface {
	// GetPodControllers returns the replication controllers whose selectors match a pod. Of these, the one in its controller
	// reference manages it. It is an error if there are none.
	GetPodControllers(pod *corev1.Pod) ([]*corev1.ReplicationController, error)
}

// ReplicationControllerNamespaceListerExpansion has nothing more.
type ReplicationControllerNamespaceListerExpansion interface{}

func (l replicationControllerLister) GetPodControllers(pod *corev1.Pod) ([]*corev1.ReplicationController, error) {
	return selecting.Search[*corev1.ReplicationController]{
		What: "replication controller", Of: "pod",
		Selector: func(one *corev1.ReplicationController) (labels.Selector, error) {
			return labels.Set(one.Spec.Selector).AsSelectorPreValidated(), nil
		},
	}.In(l.ReplicationControllers(pod.Namespace), pod)
}

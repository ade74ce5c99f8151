package v1

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/listers/internal/selecting"
)

// JobListerExpansion finds the jobs of a pod.
type JobListerExpansion interface {
	// GetPodJobs returns the jobs whose selectors match a pod. Of these, the one in its controller reference manages it. It
	// is an error if there are none. The structs are copies, but what they point to is shared.
	GetPodJobs(pod *corev1.Pod) (jobs []batchv1.Job, err error)
}

// JobNamespaceListerExpansion has nothing more.
type JobNamespaceListerExpansion interface{}

func (l jobLister) GetPodJobs(pod *corev1.Pod) (jobs []batchv1.Job, err error) {
	found, err := jobSearch("pod").In(l.Jobs(pod.Namespace), pod)
	for _, job := range found {
		jobs = append(jobs, *job)
	}
	return jobs, err
}

func jobSearch(of string) selecting.Search[*batchv1.Job] {
	return selecting.Search[*batchv1.Job]{
		What: "job", Of: of,
		Selector: func(one *batchv1.Job) (labels.Selector, error) {
			return metav1.LabelSelectorAsSelector(one.Spec.Selector)
		},
		EmptyIsAll: true,
	}
}

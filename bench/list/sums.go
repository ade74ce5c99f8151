package list

import (
	"hash/fnv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/bench/pods"
)

// sums is what a reader of a list has seen. It takes from several ends of a pod, so that a pod of which a part is missing
// gives other sums.
type sums struct {
	Pods       int
	NameBytes  int
	UIDs       uint64 // hashes, so that no pod can stand in for another
	Labels     int
	Containers int
	Conditions int
}

func (s *sums) addMeta(name string, uid types.UID, labels map[string]string) {
	s.Pods++
	s.NameBytes += len(name)
	h := fnv.New64a()
	_, _ = h.Write([]byte(uid))
	s.UIDs ^= h.Sum64()
	s.Labels += len(labels)
}

func (s *sums) addPod(pod *corev1.Pod) {
	s.addMeta(pod.Name, pod.UID, pod.Labels)
	s.Containers += len(pod.Spec.Containers)
	s.Conditions += len(pod.Status.Conditions)
}

// expected are the sums over the first count pods, or over their metadata alone.
func expected(count int, metaOnly bool) sums {
	s := sums{Labels: count * pods.LabelCount}
	for i := range count {
		s.addMeta(pods.Key(i).Name, pods.UID(i), nil)
	}
	if metaOnly {
		return s
	}
	for i := range count {
		s.Containers += pods.ContainersOf(i)
	}
	s.Conditions = count * pods.ConditionCount
	return s
}

package apitest

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest/internal/load"
)

// pending sets the status of a pod that was just scheduled.
func (p *population) pending(pod *corev1.Pod) {
	at := pod.CreationTimestamp
	pod.Status = corev1.PodStatus{
		Phase:    corev1.PodPending,
		QOSClass: pod.Status.QOSClass,
		Conditions: []corev1.PodCondition{
			{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: at},
		},
	}
}

// kubelet updates the status of a pod, of which pod is a shallow copy, as a kubelet would: it starts a pending pod,
// makes one ready that is not, and sometimes restarts a container or marks it as not ready.
func (p *population) kubelet(pod *corev1.Pod) {
	at := metav1.Now().Rfc3339Copy()
	pod.Status.ContainerStatuses = slices.Clone(pod.Status.ContainerStatuses)
	pod.Status.Conditions = slices.Clone(pod.Status.Conditions)
	pod.ManagedFields = wroteStatus(pod.ManagedFields, at)
	switch {
	case pod.Status.Phase != corev1.PodRunning:
		p.startPod(pod, at)
	case !isReady(pod):
		setReady(pod, true, at)
	case p.random.Below(4) == 0 && len(pod.Status.ContainerStatuses) > 0:
		p.restart(pod, at)
	default:
		setReady(pod, false, at)
	}
}

// wroteStatus sets the time of the kubelet's last write.
func wroteStatus(entries []metav1.ManagedFieldsEntry, at metav1.Time) []metav1.ManagedFieldsEntry {
	entries = slices.Clone(entries)
	for i := range entries {
		if entries[i].Subresource == "status" {
			entries[i].Time = &at
		}
	}
	return entries
}

func (p *population) startPod(pod *corev1.Pod, at metav1.Time) {
	address := load.Address(100, p.random.Below(1<<24))
	status := &pod.Status
	status.Phase, status.StartTime = corev1.PodRunning, &at
	status.PodIP, status.PodIPs = address, []corev1.PodIP{{IP: address}}
	status.ContainerStatuses = nil
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, ImageID: c.Image, ContainerID: "containerd://" + p.random.Hex(64), Started: new(true),
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}},
		})
	}
	setCondition(pod, corev1.PodReadyToStartContainers, true, at)
	setCondition(pod, corev1.PodInitialized, true, at)
	setReady(pod, false, at)
}

// restart terminates a container, which starts again at once.
func (p *population) restart(pod *corev1.Pod, at metav1.Time) {
	c := &pod.Status.ContainerStatuses[p.random.Below(len(pod.Status.ContainerStatuses))]
	ended := &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", FinishedAt: at, ContainerID: c.ContainerID}
	if c.State.Running != nil {
		ended.StartedAt = c.State.Running.StartedAt
	}
	c.LastTerminationState = corev1.ContainerState{Terminated: ended}
	c.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}}
	c.RestartCount++
	c.ContainerID = "containerd://" + p.random.Hex(64)
	setReady(pod, false, at)
}

func isReady(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

func setReady(pod *corev1.Pod, ready bool, at metav1.Time) {
	for i := range pod.Status.ContainerStatuses {
		pod.Status.ContainerStatuses[i].Ready = ready
	}
	setCondition(pod, corev1.PodReady, ready, at)
	setCondition(pod, corev1.ContainersReady, ready, at)
}

func setCondition(pod *corev1.Pod, kind corev1.PodConditionType, holds bool, at metav1.Time) {
	condition := corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: at, ObservedGeneration: pod.Generation}
	if !holds {
		condition.Status, condition.Reason = corev1.ConditionFalse, "ContainersNotReady"
		condition.Message = "containers with unready status"
	}
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == kind {
			pod.Status.Conditions[i] = condition
			return
		}
	}
	pod.Status.Conditions = append(pod.Status.Conditions, condition)
}

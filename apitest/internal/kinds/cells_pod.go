package kinds

import (
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// podSummary is what the columns of a pod come down to. The containers are looked at one by one, and each may change it.
type podSummary struct {
	reason       string
	ready, total int
	restarts     int
	lastRestart  metav1.Time
	initializing bool
}

func podCells(pod *corev1.Pod) []any {
	s := summarize(pod)
	restarts := strconv.Itoa(s.restarts)
	if s.restarts != 0 && !s.lastRestart.IsZero() {
		restarts = fmt.Sprintf("%d (%s ago)", s.restarts, age(s.lastRestart))
	}
	ip := ""
	if len(pod.Status.PodIPs) > 0 {
		ip = pod.Status.PodIPs[0].IP
	}
	return []any{pod.Name, fmt.Sprintf("%d/%d", s.ready, s.total), s.reason, restarts, age(pod.CreationTimestamp),
		or(ip, "<none>"), or(pod.Spec.NodeName, "<none>"), or(pod.Status.NominatedNodeName, "<none>"), gatesCell(pod)}
}

func summarize(pod *corev1.Pod) *podSummary {
	s := &podSummary{reason: or(pod.Status.Reason, string(pod.Status.Phase)), total: len(pod.Spec.Containers)}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Reason == corev1.PodReasonSchedulingGated {
			s.reason = corev1.PodReasonSchedulingGated
		}
	}
	sidecars := podSummary{}
	s.lookAtInitContainers(pod, &sidecars)
	if !s.initializing || isCondition(pod, corev1.PodInitialized) {
		s.restarts, s.lastRestart = sidecars.restarts, sidecars.lastRestart
		s.lookAtContainers(pod)
	}
	if pod.DeletionTimestamp != nil {
		if pod.Status.Reason == "NodeLost" {
			s.reason = "Unknown"
		} else if pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
			s.reason = "Terminating"
		}
	}
	return s
}

func isCondition(pod *corev1.Pod, kind corev1.PodConditionType) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == kind && c.Status == corev1.ConditionTrue
	})
}

func (s *podSummary) count(c corev1.ContainerStatus) {
	s.restarts += int(c.RestartCount)
	if last := c.LastTerminationState.Terminated; last != nil && s.lastRestart.Before(&last.FinishedAt) {
		s.lastRestart = last.FinishedAt
	}
}

// lookAtInitContainers stops at the first that is not done. Sidecars are init containers that stay.
func (s *podSummary) lookAtInitContainers(pod *corev1.Pod, sidecars *podSummary) {
	stays := map[string]bool{}
	for _, c := range pod.Spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			stays[c.Name] = true
			s.total++
		}
	}
	for i, c := range pod.Status.InitContainerStatuses {
		s.count(c)
		if stays[c.Name] {
			sidecars.count(c)
		}
		switch ended, waiting := c.State.Terminated, c.State.Waiting; {
		case ended != nil && ended.ExitCode == 0:
			continue
		case stays[c.Name] && c.Started != nil && *c.Started:
			if c.Ready {
				s.ready++
			}
			continue
		case ended != nil:
			s.reason = "Init:" + endReason(ended)
		case waiting != nil && waiting.Reason != "" && waiting.Reason != "PodInitializing":
			s.reason = "Init:" + waiting.Reason
		default:
			s.reason = fmt.Sprintf("Init:%d/%d", i, len(pod.Spec.InitContainers))
		}
		s.initializing = true
		return
	}
}

func endReason(t *corev1.ContainerStateTerminated) string {
	switch {
	case t.Reason != "":
		return t.Reason
	case t.Signal != 0:
		return fmt.Sprintf("Signal:%d", t.Signal)
	}
	return fmt.Sprintf("ExitCode:%d", t.ExitCode)
}

func (s *podSummary) lookAtContainers(pod *corev1.Pod) {
	running, failure := false, ""
	for _, c := range slices.Backward(pod.Status.ContainerStatuses) {
		s.count(c)
		switch {
		case c.State.Waiting != nil && c.State.Waiting.Reason != "":
			s.reason = c.State.Waiting.Reason
		case c.State.Terminated != nil:
			s.reason = endReason(c.State.Terminated)
			if c.State.Terminated.ExitCode != 0 {
				failure = s.reason
			}
		case c.Ready && c.State.Running != nil:
			running = true
			s.ready++
		}
	}
	if s.reason != "Completed" {
		return
	}
	switch {
	case running && isCondition(pod, corev1.PodReady):
		s.reason = "Running"
	case failure != "":
		s.reason = failure
	case running:
		s.reason = "NotReady"
	}
}

func gatesCell(pod *corev1.Pod) string {
	if len(pod.Spec.ReadinessGates) == 0 {
		return "<none>"
	}
	open := 0
	for _, gate := range pod.Spec.ReadinessGates {
		if isCondition(pod, gate.ConditionType) {
			open++
		}
	}
	return fmt.Sprintf("%d/%d", open, len(pod.Spec.ReadinessGates))
}

// rowConditions let kubectl hide pods that are done.
func rowConditions(obj runtime.Object) []metav1.TableRowCondition {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return nil
	}
	done := func(reason, message string) []metav1.TableRowCondition {
		return []metav1.TableRowCondition{{Type: metav1.RowCompleted, Status: metav1.ConditionTrue, Reason: reason, Message: message}}
	}
	switch pod.Status.Phase {
	case corev1.PodSucceeded:
		return done(string(corev1.PodSucceeded), "The pod has completed successfully.")
	case corev1.PodFailed:
		return done(string(corev1.PodFailed), "The pod failed.")
	}
	return nil
}

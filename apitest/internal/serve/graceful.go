package serve

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// beforeDelete sets the grace period of a pod. graceful means that it was set, pending that it was set before and
// nothing is to do. Other kinds have no grace period.
func beforeDelete(obj runtime.Object, opts *metav1.DeleteOptions) (graceful, pending bool) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return false, false
	}
	if pod.DeletionTimestamp != nil {
		return shortenGrace(pod, opts)
	}
	period := gracePeriod(pod, opts)
	opts.GracePeriodSeconds = &period
	at := metav1.NewTime(time.Now().Add(time.Duration(period) * time.Second)).Rfc3339Copy()
	pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &at, &period
	if pod.Generation > 0 {
		pod.Generation++
	}
	return true, false
}

// gracePeriod returns the grace period of a pod: zero if nothing is running.
func gracePeriod(pod *corev1.Pod, opts *metav1.DeleteOptions) int64 {
	var period int64
	switch {
	case pod.Spec.NodeName == "", pod.Status.Phase == corev1.PodFailed, pod.Status.Phase == corev1.PodSucceeded:
		return 0
	case opts.GracePeriodSeconds != nil:
		period = *opts.GracePeriodSeconds
	case pod.Spec.TerminationGracePeriodSeconds != nil:
		period = *pod.Spec.TerminationGracePeriodSeconds
	}
	if period < 0 {
		return 1
	}
	return period
}

// shortenGrace is for a pod that is deleted again: its grace period can only be shortened.
func shortenGrace(pod *corev1.Pod, opts *metav1.DeleteOptions) (graceful, pending bool) {
	given := pod.DeletionGracePeriodSeconds
	if given == nil || *given == 0 {
		return false, false
	}
	if opts.GracePeriodSeconds == nil || *opts.GracePeriodSeconds >= *given {
		return false, true
	}
	period := *opts.GracePeriodSeconds
	at := metav1.NewTime(pod.DeletionTimestamp.Add(time.Duration(period-*given) * time.Second))
	if now := metav1.Now().Rfc3339Copy(); at.Before(&now) {
		at = now
		if period != 0 {
			period = 1
		}
	}
	pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &at, &period
	return true, false
}

// collectorFinalizers adds or removes the finalizers that tell the garbage collector what to do with dependents. It
// reports whether that changed anything.
func (c *call) collectorFinalizers(m metav1.Object, opts *metav1.DeleteOptions) bool {
	old := m.GetFinalizers()
	wanted := slices.DeleteFunc(slices.Clone(old), func(f string) bool {
		return f == metav1.FinalizerOrphanDependents || f == metav1.FinalizerDeleteDependents
	})
	orphan, foreground := c.dependents(old, opts)
	if orphan {
		wanted = append(wanted, metav1.FinalizerOrphanDependents)
	}
	if foreground {
		wanted = append(wanted, metav1.FinalizerDeleteDependents)
	}
	if sameSet(old, wanted) {
		return false
	}
	m.SetFinalizers(wanted)
	return true
}

func (c *call) dependents(finalizers []string, opts *metav1.DeleteOptions) (orphan, foreground bool) {
	switch {
	case c.kind.Kind == "Event": // nothing depends on events
		return false, false
	case orphanDependents(opts) != nil:
		return *orphanDependents(opts), false
	case opts.PropagationPolicy != nil:
		policy := *opts.PropagationPolicy
		return policy == metav1.DeletePropagationOrphan, policy == metav1.DeletePropagationForeground
	}
	orphan = slices.Contains(finalizers, metav1.FinalizerOrphanDependents)
	foreground = slices.Contains(finalizers, metav1.FinalizerDeleteDependents)
	return orphan || !foreground && orphansByDefault[c.kind.GroupKind()], foreground
}

func orphanDependents(opts *metav1.DeleteOptions) *bool {
	//lint:ignore SA1019 clients still send it
	return opts.OrphanDependents
}

// orphansByDefault are kinds whose dependents are orphaned by default, for compatibility with clients from before the
// garbage collector.
var orphansByDefault = map[schema.GroupKind]bool{
	{Group: "batch", Kind: "Job"}:   true,
	{Kind: "ReplicationController"}: true,
}

func sameSet(a, b []string) bool {
	a, b = slices.Compact(slices.Sorted(slices.Values(a))), slices.Compact(slices.Sorted(slices.Values(b)))
	return slices.Equal(a, b)
}

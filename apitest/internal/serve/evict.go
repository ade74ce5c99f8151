package serve

import (
	"fmt"
	"maps"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest/internal/storage"
)

var budgets = schema.GroupResource{Group: "policy", Resource: "poddisruptionbudgets"}

// evict deletes a pod if its disruption budget allows it.
func (s *Server) evict(w http.ResponseWriter, r *Request) error {
	out, err := s.negotiate(r)
	if err != nil {
		return err
	}
	obj, err := decodeAs(r, policyv1.SchemeGroupVersion.WithKind("Eviction"))
	if err != nil {
		return err
	}
	eviction := obj.(*policyv1.Eviction)
	c := s.callOf(r)
	if eviction.Name != c.name {
		return apierrors.NewBadRequest("name in URL does not match name in Eviction object")
	}
	opts := eviction.DeleteOptions
	if opts == nil {
		opts = &metav1.DeleteOptions{}
	}
	c.dryRun = len(opts.DryRun) > 0
	item, err := c.item()
	if err != nil {
		return err
	}
	if err := c.disrupt(item.Object.(*corev1.Pod)); err != nil {
		return err
	}
	if _, _, err := c.delete(opts); err != nil {
		return err
	}
	return c.created(w, r, out)
}

// disrupt takes one disruption from the budget of a running pod.
func (c *call) disrupt(pod *corev1.Pod) error {
	if pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodSucceeded ||
		pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodPending {
		return nil
	}
	for {
		item, err := c.budgetOf(pod)
		if err != nil || item == nil {
			return err
		}
		budget := item.Object.(*policyv1.PodDisruptionBudget).DeepCopy()
		if !isReady(pod) && allowsUnhealthy(budget) {
			return nil
		}
		if err := allowed(budget); err != nil || c.dryRun {
			return err
		}
		budget.Status.DisruptionsAllowed--
		disrupted := maps.Clone(budget.Status.DisruptedPods)
		if disrupted == nil {
			disrupted = map[string]metav1.Time{}
		}
		disrupted[pod.Name] = metav1.Now().Rfc3339Copy()
		budget.Status.DisruptedPods = disrupted
		if _, err = c.s.store.Update(budgets, item, budget); !isChanged(err) {
			return err
		}
	}
}

// budgetOf returns the budget of a pod, or nil.
func (c *call) budgetOf(pod *corev1.Pod) (*storage.Item, error) {
	snapshot, err := c.s.store.Snapshot(budgets, 0)
	if err != nil {
		return nil, err
	}
	var found *storage.Item
	for item := range snapshot.Items(pod.Namespace, "") {
		selector, err := metav1.LabelSelectorAsSelector(item.Object.(*policyv1.PodDisruptionBudget).Spec.Selector)
		if err != nil || !selector.Matches(labels.Set(pod.Labels)) {
			continue
		}
		if found != nil {
			return nil, &apierrors.StatusError{ErrStatus: metav1.Status{
				Status: metav1.StatusFailure, Code: http.StatusInternalServerError,
				Message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
			}}
		}
		found = item
	}
	return found, nil
}

func isReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

func allowsUnhealthy(b *policyv1.PodDisruptionBudget) bool {
	policy := b.Spec.UnhealthyPodEvictionPolicy
	return policy != nil && *policy == policyv1.AlwaysAllow ||
		b.Status.CurrentHealthy >= b.Status.DesiredHealthy && b.Status.DesiredHealthy > 0
}

// allowed reports whether there is a disruption left.
func allowed(b *policyv1.PodDisruptionBudget) error {
	const message = "Cannot evict pod as it would violate the pod's disruption budget."
	var err *apierrors.StatusError
	var cause string
	switch {
	case b.Status.ObservedGeneration < b.Generation:
		err = apierrors.NewTooManyRequests(message, 10)
		cause = fmt.Sprintf("The disruption budget %s is still being processed by the server.", b.Name)
	case b.Status.DisruptionsAllowed <= 0:
		err = apierrors.NewTooManyRequests(message, 0)
		cause = fmt.Sprintf("The disruption budget %s needs %d healthy pods and has %d currently",
			b.Name, b.Status.DesiredHealthy, b.Status.CurrentHealthy)
	default:
		return nil
	}
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{Type: policyv1.DisruptionBudgetCause, Message: cause})
	return err
}

package v1

import (
	"context"

	policyv1 "k8s.io/api/policy/v1"
)

// EvictionExpansion is all that can be done with an eviction.
type EvictionExpansion interface {
	// Evict asks for the eviction of the pod that it names.
	Evict(ctx context.Context, eviction *policyv1.Eviction) error
}

// Evict posts to the pod, which is in the core group.
func (c evictions) Evict(ctx context.Context, eviction *policyv1.Eviction) error {
	return c.GetClient().Post().
		UseProtobufAsDefault().
		AbsPath("/api/v1").
		Namespace(eviction.Namespace).
		Resource("pods").
		Name(eviction.Name).
		SubResource("eviction").
		Body(eviction).
		Do(ctx).
		Error()
}

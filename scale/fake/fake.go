// Package fake has scales for tests: each request is an action, which reactors answer.
package fake

import (
	"context"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/scale"
	"vedette.dev/testing"
)

// FakeScaleClient is a scale.ScalesGetter without a server. What no reactor handles is answered with an empty scale.
type FakeScaleClient struct {
	testing.Fake
}

var _ scale.ScalesGetter = (*FakeScaleClient)(nil)

// Scales implements scale.ScalesGetter.
func (f *FakeScaleClient) Scales(namespace string) scale.ScaleInterface {
	return scales{&f.Fake, namespace}
}

type scales struct {
	fake      *testing.Fake
	namespace string
}

// Get implements scale.ScaleInterface. The resource of the action has no version.
func (s scales) Get(_ context.Context, resource schema.GroupResource, name string, _ metav1.GetOptions) (*autoscalingv1.Scale, error) {
	return s.invoke(testing.NewGetSubresourceAction(resource.WithVersion(""), s.namespace, "scale", name))
}

// Update implements scale.ScaleInterface. The resource of the action has no version.
func (s scales) Update(_ context.Context, resource schema.GroupResource, scale *autoscalingv1.Scale, _ metav1.UpdateOptions) (*autoscalingv1.Scale, error) {
	return s.invoke(testing.NewUpdateSubresourceAction(resource.WithVersion(""), "scale", s.namespace, scale))
}

// Patch implements scale.ScaleInterface.
func (s scales) Patch(_ context.Context, gvr schema.GroupVersionResource, name string, pt types.PatchType, patch []byte, _ metav1.PatchOptions) (*autoscalingv1.Scale, error) {
	return s.invoke(testing.NewPatchSubresourceAction(gvr, s.namespace, name, pt, patch, "scale"))
}

func (s scales) invoke(action testing.Action) (*autoscalingv1.Scale, error) {
	obj, err := s.fake.Invokes(action, &autoscalingv1.Scale{})
	if err != nil {
		return nil, err
	}
	result, ok := obj.(*autoscalingv1.Scale)
	if !ok {
		return nil, fmt.Errorf("a reactor returned a %T for the scale of %s", obj, action.GetResource().Resource)
	}
	return result, nil
}

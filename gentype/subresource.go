package gentype

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/rest"
)

// Target is a ResourceClient without its types, for requests for subresources.
type Target interface {
	GetClient() rest.Interface
	On(*rest.Request) *rest.Request
}

// GetSubresource reads a subresource that has a type of its own, such as the scale of a deployment.
func GetSubresource[R any](ctx context.Context, c Target, name, subresource string, opts metav1.GetOptions) (*R, error) {
	return Into[R](ctx, c.On(c.GetClient().Get()).Name(name).SubResource(subresource).VersionedParams(&opts, ParameterCodec))
}

// CreateSubresource posts body to a subresource, such as a token request to a service account.
func CreateSubresource[R any](ctx context.Context, c Target, name, subresource string, body runtime.Object, opts metav1.CreateOptions) (*R, error) {
	return Into[R](ctx, c.On(c.GetClient().Post()).Name(name).SubResource(subresource).
		VersionedParams(&opts, ParameterCodec).Body(body))
}

// UpdateSubresource replaces a subresource by body.
func UpdateSubresource[R any](ctx context.Context, c Target, name, subresource string, body runtime.Object, opts metav1.UpdateOptions) (*R, error) {
	return Into[R](ctx, c.On(c.GetClient().Put()).Name(name).SubResource(subresource).
		VersionedParams(&opts, ParameterCodec).Body(body))
}

// ApplySubresource applies cfg to the object of that name, or to one of its subresources.
func ApplySubresource[R any](ctx context.Context, c Target, name string, cfg ApplyConfiguration, opts metav1.ApplyOptions, subresources ...string) (*R, error) {
	if isNil(cfg) {
		return nil, fmt.Errorf("apply %q: %w", name, errNilConfiguration)
	}
	patchOpts := opts.ToPatchOptions()
	return Into[R](ctx, c.On(c.GetClient().Patch(types.ApplyPatchType)).Name(name).SubResource(subresources...).
		VersionedParams(&patchOpts, ParameterCodec).ApplyBody(cfg))
}

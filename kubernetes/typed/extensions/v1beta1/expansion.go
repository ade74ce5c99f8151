package v1beta1

import (
	"context"

	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/gentype"
)

// DeploymentExpansion is what deployments of this old version can do beyond the usual.
type DeploymentExpansion interface {
	// Rollback takes a deployment back to an earlier revision.
	Rollback(context.Context, *extensionsv1beta1.DeploymentRollback, metav1.CreateOptions) error
}

func (c deployments) Rollback(ctx context.Context, rollback *extensionsv1beta1.DeploymentRollback, opts metav1.CreateOptions) error {
	return c.GetClient().Post().
		UseProtobufAsDefault().
		Namespace(c.GetNamespace()).
		Resource("deployments").
		Name(rollback.Name).
		SubResource("rollback").
		VersionedParams(&opts, gentype.ParameterCodec).
		Body(rollback).
		Do(ctx).
		Error()
}

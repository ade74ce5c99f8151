package v1

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/net"

	"vedette.dev/gentype"
	"vedette.dev/rest"
)

// PodExpansion is what pods can do beyond the usual.
type PodExpansion interface {
	// Bind puts a pod on a node: both are named in the binding.
	Bind(ctx context.Context, binding *corev1.Binding, opts metav1.CreateOptions) error
	// Evict is EvictV1beta1.
	//
	// Deprecated: use EvictV1, or EvictV1beta1 for servers before 1.22.
	Evict(ctx context.Context, eviction *policyv1beta1.Eviction) error
	// EvictV1 asks for the eviction of a pod, which its disruption budget may forbid.
	EvictV1(ctx context.Context, eviction *policyv1.Eviction) error
	// EvictV1beta1 is EvictV1 in the older form, for servers before 1.22.
	EvictV1beta1(ctx context.Context, eviction *policyv1beta1.Eviction) error
	// GetLogs makes the request for the logs of a container. Its Stream method follows them.
	GetLogs(name string, opts *corev1.PodLogOptions) *rest.Request
	// ProxyGet asks the server to pass a GET request on to the pod. Scheme and port may be empty.
	ProxyGet(scheme, name, port, path string, params map[string]string) rest.ResponseWrapper
}

func (c pods) Bind(ctx context.Context, binding *corev1.Binding, opts metav1.CreateOptions) error {
	return c.to(binding.Name, "binding").VersionedParams(&opts, gentype.ParameterCodec).Body(binding).Do(ctx).Error()
}

func (c pods) Evict(ctx context.Context, eviction *policyv1beta1.Eviction) error {
	return c.evict(ctx, eviction.Name, eviction)
}

func (c pods) EvictV1(ctx context.Context, eviction *policyv1.Eviction) error {
	return c.evict(ctx, eviction.Name, eviction)
}

func (c pods) EvictV1beta1(ctx context.Context, eviction *policyv1beta1.Eviction) error {
	return c.evict(ctx, eviction.Name, eviction)
}

func (c pods) evict(ctx context.Context, name string, eviction runtime.Object) error {
	return c.to(name, "eviction").Body(eviction).Do(ctx).Error()
}

// to begins a POST to a subresource of a pod. A client for all namespaces gets an error: a pod has one.
func (c pods) to(name, subresource string) *rest.Request {
	return c.GetClient().Post().
		UseProtobufAsDefault().
		Namespace(c.GetNamespace()).
		Resource("pods").
		Name(name).
		SubResource(subresource)
}

// GetLogs does not ask for protobuf: logs are text.
func (c pods) GetLogs(name string, opts *corev1.PodLogOptions) *rest.Request {
	return c.GetClient().Get().
		Namespace(c.GetNamespace()).
		Resource("pods").
		Name(name).
		SubResource("log").
		VersionedParams(opts, gentype.ParameterCodec)
}

func (c pods) ProxyGet(scheme, name, port, path string, params map[string]string) rest.ResponseWrapper {
	return proxyGet(c.GetClient(), "pods", c.GetNamespace(), net.JoinSchemeNamePort(scheme, name, port), path, params)
}

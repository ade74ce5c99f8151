package v1

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/net"

	"vedette.dev/gentype"
	"vedette.dev/rest"
)

// NamespaceExpansion is what namespaces can do beyond the usual.
type NamespaceExpansion interface {
	// Finalize replaces the finalizers in the spec of a namespace.
	Finalize(ctx context.Context, item *corev1.Namespace, opts metav1.UpdateOptions) (*corev1.Namespace, error)
}

func (c namespaces) Finalize(ctx context.Context, namespace *corev1.Namespace, opts metav1.UpdateOptions) (*corev1.Namespace, error) {
	return gentype.UpdateSubresource[corev1.Namespace](ctx, c, namespace.Name, "finalize", namespace, opts)
}

// NodeExpansion is what nodes can do beyond the usual.
type NodeExpansion interface {
	// PatchStatus changes the status of a node with a strategic merge patch.
	PatchStatus(ctx context.Context, nodeName string, data []byte) (*corev1.Node, error)
}

func (c nodes) PatchStatus(ctx context.Context, nodeName string, data []byte) (*corev1.Node, error) {
	return c.Patch(ctx, nodeName, types.StrategicMergePatchType, data, metav1.PatchOptions{}, "status")
}

// ServiceExpansion is what services can do beyond the usual.
type ServiceExpansion interface {
	// ProxyGet asks the server to pass a GET request on to the service. Scheme and port may be empty.
	ProxyGet(scheme, name, port, path string, params map[string]string) rest.ResponseWrapper
}

func (c services) ProxyGet(scheme, name, port, path string, params map[string]string) rest.ResponseWrapper {
	return proxyGet(c.GetClient(), "services", c.GetNamespace(), net.JoinSchemeNamePort(scheme, name, port), path, params)
}

// proxyGet is for pods and services. The answer is not an object of the API, so the request does not ask for protobuf.
func proxyGet(client rest.Interface, resource, namespace, target, path string, params map[string]string) rest.ResponseWrapper {
	request := client.Get().
		Namespace(namespace).
		Resource(resource).
		Name(target).
		SubResource("proxy").
		Suffix(path)
	for k, v := range params {
		request = request.Param(k, v)
	}
	return request
}

package fake

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/metadata"
	"vedette.dev/rest"
)

// MetadataClient has the additional methods of a FakeMetadataClient's resources: metadata clients cannot create.
type MetadataClient interface {
	metadata.Getter
	CreateFake(obj *metav1.PartialObjectMetadata, opts metav1.CreateOptions, subresources ...string) (*metav1.PartialObjectMetadata, error)
	UpdateFake(obj *metav1.PartialObjectMetadata, opts metav1.UpdateOptions, subresources ...string) (*metav1.PartialObjectMetadata, error)
}

var (
	_ MetadataClient     = (*resource)(nil)
	_ metadata.Requester = (*resource)(nil)
)

// resource is a real client of a resource with methods to write.
type resource struct {
	metadata.ResourceInterface
	client    *FakeMetadataClient
	gvr       schema.GroupVersionResource
	namespace string
}

// Namespace selects a namespace.
func (r *resource) Namespace(namespace string) metadata.ResourceInterface {
	return &resource{ResourceInterface: r.client.real.Resource(r.gvr).Namespace(namespace), client: r.client, gvr: r.gvr, namespace: namespace}
}

// ListRequest implements metadata.Requester.
func (r *resource) ListRequest(opts metav1.ListOptions) *rest.Request {
	return r.ResourceInterface.(metadata.Requester).ListRequest(opts)
}

// WatchRequest implements metadata.Requester.
func (r *resource) WatchRequest(opts metav1.ListOptions) *rest.Request {
	return r.ResourceInterface.(metadata.Requester).WatchRequest(opts)
}

// CreateFake creates an object with metadata only.
func (r *resource) CreateFake(obj *metav1.PartialObjectMetadata, opts metav1.CreateOptions, subresources ...string) (*metav1.PartialObjectMetadata, error) {
	u, err := r.whole(obj)
	if err != nil {
		return nil, err
	}
	return partial(r.client.writer.Resource(r.gvr).Namespace(r.namespace).Create(context.Background(), u, opts, subresources...))
}

// UpdateFake replaces an object by one with metadata only.
func (r *resource) UpdateFake(obj *metav1.PartialObjectMetadata, opts metav1.UpdateOptions, subresources ...string) (*metav1.PartialObjectMetadata, error) {
	u, err := r.whole(obj)
	if err != nil {
		return nil, err
	}
	return partial(r.client.writer.Resource(r.gvr).Namespace(r.namespace).Update(context.Background(), u, opts, subresources...))
}

// whole returns an object of the kind of the resource.
func (r *resource) whole(obj *metav1.PartialObjectMetadata) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: content}
	if u.GetKind() == "" {
		u.SetGroupVersionKind(r.client.codec.KindOf(r.gvr))
	}
	return u, nil
}

func partial(u *unstructured.Unstructured, err error) (*metav1.PartialObjectMetadata, error) {
	if err != nil {
		return nil, err
	}
	obj := &metav1.PartialObjectMetadata{}
	return obj, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, obj)
}

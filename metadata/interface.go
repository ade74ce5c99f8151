package metadata

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/rest"
)

// Interface is a client for the metadata of any resource.
type Interface interface {
	Resource(resource schema.GroupVersionResource) Getter
}

// Getter is a resource in all namespaces, or a cluster-scoped one.
type Getter interface {
	Namespace(string) ResourceInterface
	ResourceInterface
}

// ResourceInterface has the operations on the metadata of a resource.
type ResourceInterface interface {
	// Delete deletes the object.
	Delete(ctx context.Context, name string, options metav1.DeleteOptions, subresources ...string) error
	// DeleteCollection deletes all the objects that listOptions selects.
	DeleteCollection(ctx context.Context, options metav1.DeleteOptions, listOptions metav1.ListOptions) error
	// Get reads the metadata of the object of that name.
	Get(ctx context.Context, name string, options metav1.GetOptions, subresources ...string) (*metav1.PartialObjectMetadata, error)
	// List reads the metadata of the objects that opts selects.
	List(ctx context.Context, opts metav1.ListOptions) (*metav1.PartialObjectMetadataList, error)
	// Watch watches the objects that opts selects. The objects in its events are *metav1.PartialObjectMetadata.
	Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error)
	// Patch sends a patch of the given kind. It may change more than the metadata.
	Patch(ctx context.Context, name string, pt types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string) (*metav1.PartialObjectMetadata, error)
}

// Requester returns the requests of List and Watch without sending them, to be read in another way: item by item with
// Items, or as undecoded Frames.
type Requester interface {
	ListRequest(opts metav1.ListOptions) *rest.Request
	WatchRequest(opts metav1.ListOptions) *rest.Request
}

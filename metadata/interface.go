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

// Getter is a resource in all namespaces, or one that lives in none.
type Getter interface {
	Namespace(string) ResourceInterface
	ResourceInterface
}

// ResourceInterface is what can be done with the metadata of a resource.
type ResourceInterface interface {
	// Delete asks the server to delete the object.
	Delete(ctx context.Context, name string, options metav1.DeleteOptions, subresources ...string) error
	// DeleteCollection deletes all the objects that listOptions selects.
	DeleteCollection(ctx context.Context, options metav1.DeleteOptions, listOptions metav1.ListOptions) error
	// Get reads the metadata of the object of that name.
	Get(ctx context.Context, name string, options metav1.GetOptions, subresources ...string) (*metav1.PartialObjectMetadata, error)
	// List reads the metadata of the objects that opts selects.
	List(ctx context.Context, opts metav1.ListOptions) (*metav1.PartialObjectMetadataList, error)
	// Watch tells what happens to the objects that opts selects. The objects in its events are
	// *metav1.PartialObjectMetadata.
	Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error)
	// Patch sends a patch of the given kind. It may change more than the metadata.
	Patch(ctx context.Context, name string, pt types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string) (*metav1.PartialObjectMetadata, error)
}

// Requester hands out the requests behind List and Watch before they are sent, to be read in another way: item by item
// with Items, or as undecoded Frames.
type Requester interface {
	ListRequest(opts metav1.ListOptions) *rest.Request
	WatchRequest(opts metav1.ListOptions) *rest.Request
}

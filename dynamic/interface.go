package dynamic

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/rest"
)

// Interface is a client for any resource.
type Interface interface {
	Resource(resource schema.GroupVersionResource) NamespaceableResourceInterface
}

// NamespaceableResourceInterface is a resource in all namespaces, or a cluster-scoped one.
type NamespaceableResourceInterface interface {
	Namespace(string) ResourceInterface
	ResourceInterface
}

// ResourceInterface has the operations of a resource.
type ResourceInterface interface {
	// Create creates an object. For a subresource, the object has the name of its parent.
	Create(ctx context.Context, obj *unstructured.Unstructured, options metav1.CreateOptions, subresources ...string) (*unstructured.Unstructured, error)
	// Update replaces the object of the same name.
	Update(ctx context.Context, obj *unstructured.Unstructured, options metav1.UpdateOptions, subresources ...string) (*unstructured.Unstructured, error)
	// UpdateStatus replaces the status of the object of the same name.
	UpdateStatus(ctx context.Context, obj *unstructured.Unstructured, options metav1.UpdateOptions) (*unstructured.Unstructured, error)
	// Delete deletes the object.
	Delete(ctx context.Context, name string, options metav1.DeleteOptions, subresources ...string) error
	// DeleteCollection deletes all the objects that listOptions selects.
	DeleteCollection(ctx context.Context, options metav1.DeleteOptions, listOptions metav1.ListOptions) error
	// Get reads the object of that name.
	Get(ctx context.Context, name string, options metav1.GetOptions, subresources ...string) (*unstructured.Unstructured, error)
	// List reads the objects that opts selects.
	List(ctx context.Context, opts metav1.ListOptions) (*unstructured.UnstructuredList, error)
	// Watch watches the objects that opts selects.
	Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error)
	// Patch sends a patch of the given kind.
	Patch(ctx context.Context, name string, pt types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string) (*unstructured.Unstructured, error)
	// Apply applies obj with server-side apply, as the field manager in options.
	Apply(ctx context.Context, name string, obj *unstructured.Unstructured, options metav1.ApplyOptions, subresources ...string) (*unstructured.Unstructured, error)
	// ApplyStatus is like Apply, for the status.
	ApplyStatus(ctx context.Context, name string, obj *unstructured.Unstructured, options metav1.ApplyOptions) (*unstructured.Unstructured, error)
}

// Requester returns the requests of List and Watch without sending them, to be read in another way: item by item with
// Items, or as undecoded Frames.
type Requester interface {
	ListRequest(opts metav1.ListOptions) *rest.Request
	WatchRequest(opts metav1.ListOptions) *rest.Request
}

// APIPathResolverFunc returns the path of a group.
type APIPathResolverFunc func(kind schema.GroupVersionKind) string

// LegacyAPIPathResolverFunc returns "/api" for the core group, and "/apis" for all others.
func LegacyAPIPathResolverFunc(kind schema.GroupVersionKind) string {
	if kind.Group == "" {
		return "/api"
	}
	return "/apis"
}

package gentype

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/rest"
)

// ResourceClient is the client of one resource, in one namespace or in none. T is the type of its objects and L that of its
// lists; *T and *L are API types. It is cheap to create.
type ResourceClient[T, L any] struct {
	resource  string
	client    rest.Interface
	namespace string
	protobuf  bool
}

// New returns the client of a built-in resource, which uses protobuf unless the configuration specifies something else.
// An empty namespace means all of them, or that the resource is cluster-scoped.
func New[T, L any](client rest.Interface, resource, namespace string) *ResourceClient[T, L] {
	return &ResourceClient[T, L]{resource: resource, client: client, namespace: namespace, protobuf: true}
}

// NewJSON is like New, for a resource that is not built into the server, and uses JSON only.
func NewJSON[T, L any](client rest.Interface, resource, namespace string) *ResourceClient[T, L] {
	return &ResourceClient[T, L]{resource: resource, client: client, namespace: namespace}
}

// GetClient returns the client that sends the requests.
func (c *ResourceClient[T, L]) GetClient() rest.Interface { return c.client }

// GetNamespace returns the namespace of the client.
func (c *ResourceClient[T, L]) GetNamespace() string { return c.namespace }

// Create creates an object, and returns the stored object.
func (c *ResourceClient[T, L]) Create(ctx context.Context, obj *T, opts metav1.CreateOptions) (*T, error) {
	return Into[T](ctx, c.On(c.client.Post()).VersionedParams(&opts, ParameterCodec).Body(obj))
}

// Update replaces the object of the same name.
func (c *ResourceClient[T, L]) Update(ctx context.Context, obj *T, opts metav1.UpdateOptions) (*T, error) {
	return c.put(ctx, obj, opts)
}

// UpdateStatus replaces the status of the object of the same name.
func (c *ResourceClient[T, L]) UpdateStatus(ctx context.Context, obj *T, opts metav1.UpdateOptions) (*T, error) {
	return c.put(ctx, obj, opts, "status")
}

func (c *ResourceClient[T, L]) put(ctx context.Context, obj *T, opts metav1.UpdateOptions, subresources ...string) (*T, error) {
	name, err := nameOf(obj)
	if err != nil {
		return nil, err
	}
	return Into[T](ctx, c.On(c.client.Put()).Name(name).SubResource(subresources...).
		VersionedParams(&opts, ParameterCodec).Body(obj))
}

// Delete deletes the object.
func (c *ResourceClient[T, L]) Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error {
	return c.On(c.client.Delete()).Name(name).Body(&opts).Do(ctx).Error()
}

// DeleteAnswer is like Delete, and returns the response: a *metav1.Status if the object is deleted, or the object, a
// *T. For some kinds the object is also returned when it is deleted, in its last state. A response that cannot be
// decoded is nil, and not an error: the deletion has succeeded.
func (c *ResourceClient[T, L]) DeleteAnswer(ctx context.Context, name string, opts metav1.DeleteOptions) (runtime.Object, error) {
	result := c.On(c.client.Delete()).Name(name).Body(&opts).Do(ctx)
	if err := result.Error(); err != nil {
		return nil, err
	}
	answer, err := result.Get()
	if err != nil {
		return nil, nil
	}
	return answer, nil
}

// DeleteCollection deletes all the objects that listOpts selects.
func (c *ResourceClient[T, L]) DeleteCollection(ctx context.Context, opts metav1.DeleteOptions, listOpts metav1.ListOptions) error {
	return c.selected(c.client.Delete(), listOpts).Body(&opts).Do(ctx).Error()
}

// Get reads the object of that name.
func (c *ResourceClient[T, L]) Get(ctx context.Context, name string, opts metav1.GetOptions) (*T, error) {
	return Into[T](ctx, c.On(c.client.Get()).Name(name).VersionedParams(&opts, ParameterCodec))
}

// List returns the objects that opts selects, as one list. To read a long list with little memory, use ListRequest and
// its Items.
func (c *ResourceClient[T, L]) List(ctx context.Context, opts metav1.ListOptions) (*L, error) {
	return readList[T, L](ctx, c.ListRequest(opts))
}

// Watch watches the objects that opts selects.
func (c *ResourceClient[T, L]) Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	return c.WatchRequest(opts).Watch(ctx)
}

// ListRequest returns the request of List, to read the response in another way: item by item with Items, or as bytes
// with Stream.
func (c *ResourceClient[T, L]) ListRequest(opts metav1.ListOptions) *rest.Request {
	return c.selected(c.client.Get(), opts)
}

// WatchRequest returns the request of Watch, to read undecoded Frames.
func (c *ResourceClient[T, L]) WatchRequest(opts metav1.ListOptions) *rest.Request {
	opts.Watch = true
	return c.selected(c.client.Get(), opts)
}

// Patch sends a patch of the given kind, to the object or to one of its subresources.
func (c *ResourceClient[T, L]) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (*T, error) {
	return Into[T](ctx, c.On(c.client.Patch(pt)).Name(name).SubResource(subresources...).
		VersionedParams(&opts, ParameterCodec).Body(data))
}

// Apply applies cfg with server-side apply, as the field manager in opts.
func (c *ResourceClient[T, L]) Apply(ctx context.Context, cfg ApplyConfiguration, opts metav1.ApplyOptions) (*T, error) {
	return c.apply(ctx, cfg, opts)
}

// ApplyStatus is like Apply, for the status.
func (c *ResourceClient[T, L]) ApplyStatus(ctx context.Context, cfg ApplyConfiguration, opts metav1.ApplyOptions) (*T, error) {
	return c.apply(ctx, cfg, opts, "status")
}

func (c *ResourceClient[T, L]) apply(ctx context.Context, cfg ApplyConfiguration, opts metav1.ApplyOptions, subresources ...string) (*T, error) {
	name, err := applyName(cfg)
	if err != nil {
		return nil, err
	}
	return ApplySubresource[T](ctx, c, name, cfg, opts, subresources...)
}

// On sets this resource, and its namespace, in a request.
func (c *ResourceClient[T, L]) On(r *rest.Request) *rest.Request {
	return r.UseProtobufAsDefaultIfPreferred(c.protobuf).NamespaceIfScoped(c.namespace, c.namespace != "").Resource(c.resource)
}

// selected sets the selection of opts in a request. A timeout in opts also limits the whole request, in case the server
// does not respect it.
func (c *ResourceClient[T, L]) selected(r *rest.Request, opts metav1.ListOptions) *rest.Request {
	var timeout time.Duration
	if opts.TimeoutSeconds != nil {
		timeout = time.Duration(*opts.TimeoutSeconds) * time.Second
	}
	return c.On(r).VersionedParams(&opts, ParameterCodec).Timeout(timeout)
}

// Into sends the request and decodes the response. *R is an API type.
func Into[R any](ctx context.Context, r *rest.Request) (*R, error) {
	result := new(R)
	obj, ok := any(result).(runtime.Object)
	if !ok {
		return nil, fmt.Errorf("%T is not an API type: it has no DeepCopyObject; use gentype.NewForConfig for plain structs", result)
	}
	return result, r.Do(ctx).Into(obj)
}

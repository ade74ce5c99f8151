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

// Client speaks for one resource, in one namespace or in none. T is the type of its objects and L that of its lists;
// *T and *L are API types. It is a value to be made when needed and thrown away.
type Client[T, L any] struct {
	resource  string
	client    rest.Interface
	namespace string
	protobuf  bool
}

// New makes the client of a built-in resource, which speaks protobuf unless the configuration says otherwise. An empty
// namespace means all of them, or that the resource has none.
func New[T, L any](client rest.Interface, resource, namespace string) *Client[T, L] {
	return &Client[T, L]{resource: resource, client: client, namespace: namespace, protobuf: true}
}

// NewJSON is New for a resource that is not built into the server, and speaks JSON alone.
func NewJSON[T, L any](client rest.Interface, resource, namespace string) *Client[T, L] {
	return &Client[T, L]{resource: resource, client: client, namespace: namespace}
}

// GetClient returns the client that carries the requests.
func (c *Client[T, L]) GetClient() rest.Interface { return c.client }

// GetNamespace returns the namespace the client was made for.
func (c *Client[T, L]) GetNamespace() string { return c.namespace }

// Create sends a new object, and returns it as the server stored it.
func (c *Client[T, L]) Create(ctx context.Context, obj *T, opts metav1.CreateOptions) (*T, error) {
	return Into[T](ctx, c.On(c.client.Post()).VersionedParams(&opts, ParameterCodec).Body(obj))
}

// Update replaces the object of the same name.
func (c *Client[T, L]) Update(ctx context.Context, obj *T, opts metav1.UpdateOptions) (*T, error) {
	return c.put(ctx, obj, opts)
}

// UpdateStatus replaces the status of the object of the same name.
func (c *Client[T, L]) UpdateStatus(ctx context.Context, obj *T, opts metav1.UpdateOptions) (*T, error) {
	return c.put(ctx, obj, opts, "status")
}

func (c *Client[T, L]) put(ctx context.Context, obj *T, opts metav1.UpdateOptions, subresources ...string) (*T, error) {
	name, err := nameOf(obj)
	if err != nil {
		return nil, err
	}
	return Into[T](ctx, c.On(c.client.Put()).Name(name).SubResource(subresources...).
		VersionedParams(&opts, ParameterCodec).Body(obj))
}

// Delete asks the server to delete the object.
func (c *Client[T, L]) Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error {
	return c.On(c.client.Delete()).Name(name).Body(&opts).Do(ctx).Error()
}

// DeleteAnswer is Delete, and returns what the server said: a *metav1.Status if the object is gone, or the object, a *T. Of
// some kinds the object is also returned when it is gone, in its last state. An answer that cannot be read is nil, and no
// error: the server has done what it was asked to.
func (c *Client[T, L]) DeleteAnswer(ctx context.Context, name string, opts metav1.DeleteOptions) (runtime.Object, error) {
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
func (c *Client[T, L]) DeleteCollection(ctx context.Context, opts metav1.DeleteOptions, listOpts metav1.ListOptions) error {
	return c.selected(c.client.Delete(), listOpts).Body(&opts).Do(ctx).Error()
}

// Get reads the object of that name.
func (c *Client[T, L]) Get(ctx context.Context, name string, opts metav1.GetOptions) (*T, error) {
	return Into[T](ctx, c.On(c.client.Get()).Name(name).VersionedParams(&opts, ParameterCodec))
}

// List reads the objects that opts selects, as one list. To read a long list with little memory, use ListRequest and
// its Items.
func (c *Client[T, L]) List(ctx context.Context, opts metav1.ListOptions) (*L, error) {
	return readList[T, L](ctx, c.ListRequest(opts))
}

// Watch tells what happens to the objects that opts selects.
func (c *Client[T, L]) Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	return c.WatchRequest(opts).Watch(ctx)
}

// ListRequest is the request behind List, for callers who want to read the answer in another way: item by item with
// Items, or as bytes with Stream.
func (c *Client[T, L]) ListRequest(opts metav1.ListOptions) *rest.Request {
	return c.selected(c.client.Get(), opts)
}

// WatchRequest is the request behind Watch, for callers who want the undecoded Frames.
func (c *Client[T, L]) WatchRequest(opts metav1.ListOptions) *rest.Request {
	opts.Watch = true
	return c.selected(c.client.Get(), opts)
}

// Patch sends a patch of the given kind, to the object or to one of its subresources.
func (c *Client[T, L]) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (*T, error) {
	return Into[T](ctx, c.On(c.client.Patch(pt)).Name(name).SubResource(subresources...).
		VersionedParams(&opts, ParameterCodec).Body(data))
}

// Apply makes the object as cfg says, in the name of the field manager in opts.
func (c *Client[T, L]) Apply(ctx context.Context, cfg ApplyConfiguration, opts metav1.ApplyOptions) (*T, error) {
	return c.apply(ctx, cfg, opts)
}

// ApplyStatus is Apply for the status alone.
func (c *Client[T, L]) ApplyStatus(ctx context.Context, cfg ApplyConfiguration, opts metav1.ApplyOptions) (*T, error) {
	return c.apply(ctx, cfg, opts, "status")
}

func (c *Client[T, L]) apply(ctx context.Context, cfg ApplyConfiguration, opts metav1.ApplyOptions, subresources ...string) (*T, error) {
	name, err := applyName(cfg)
	if err != nil {
		return nil, err
	}
	return ApplySubresource[T](ctx, c, name, cfg, opts, subresources...)
}

// On points a request at this resource, in its namespace.
func (c *Client[T, L]) On(r *rest.Request) *rest.Request {
	return r.UseProtobufAsDefaultIfPreferred(c.protobuf).NamespaceIfScoped(c.namespace, c.namespace != "").Resource(c.resource)
}

// selected points a request at the objects that opts selects. A time limit in opts is also one for the whole request,
// in case the server does not keep to it.
func (c *Client[T, L]) selected(r *rest.Request, opts metav1.ListOptions) *rest.Request {
	var timeout time.Duration
	if opts.TimeoutSeconds != nil {
		timeout = time.Duration(*opts.TimeoutSeconds) * time.Second
	}
	return c.On(r).VersionedParams(&opts, ParameterCodec).Timeout(timeout)
}

// Into does the request and decodes the answer. *R is an API type.
func Into[R any](ctx context.Context, r *rest.Request) (*R, error) {
	result := new(R)
	obj, ok := any(result).(runtime.Object)
	if !ok {
		return nil, fmt.Errorf("%T is not an API type: it has no DeepCopyObject; use gentype.NewForConfig for plain structs", result)
	}
	return result, r.Do(ctx).Into(obj)
}

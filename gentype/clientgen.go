package gentype

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/rest"
)

// The types and functions of this file and of fake.go are those that client-gen's code uses. T is a pointer to an
// object, L one to a list, and C one to an apply configuration.

type objectWithMeta interface {
	runtime.Object
	metav1.Object
}

type namedObject interface {
	comparable
	GetName() *string
}

// Client is the client of one resource in code of client-gen, without lists and apply.
type Client[T objectWithMeta] struct {
	resource  string
	client    rest.Interface
	namespace string
	newObject func() T
	params    runtime.ParameterCodec
	protobuf  bool
}

// ClientWithList is a Client with lists.
type ClientWithList[T objectWithMeta, L runtime.Object] struct {
	*Client[T]
	alsoLister[T, L]
}

// ClientWithApply is a Client with server-side apply.
type ClientWithApply[T objectWithMeta, C namedObject] struct {
	*Client[T]
	alsoApplier[T, C]
}

// ClientWithListAndApply is a Client with lists and server-side apply.
type ClientWithListAndApply[T objectWithMeta, L runtime.Object, C namedObject] struct {
	*Client[T]
	alsoLister[T, L]
	alsoApplier[T, C]
}

type alsoLister[T objectWithMeta, L runtime.Object] struct {
	client  *Client[T]
	newList func() L
}

type alsoApplier[T objectWithMeta, C namedObject] struct {
	client *Client[T]
}

// Option changes a Client.
type Option[T objectWithMeta] func(*Client[T])

// PrefersProtobuf is for resources that the server has in protobuf: it is used unless the configuration specifies
// something else.
func PrefersProtobuf[T objectWithMeta]() Option[T] {
	return func(c *Client[T]) { c.protobuf = true }
}

// NewClient returns a client without lists and apply. An empty namespace means all of them, or that the resource is
// cluster-scoped. emptyObjectCreator returns a new object, which responses are decoded into.
func NewClient[T objectWithMeta](resource string, client rest.Interface, parameterCodec runtime.ParameterCodec, namespace string,
	emptyObjectCreator func() T, options ...Option[T]) *Client[T] {
	c := &Client[T]{resource: resource, client: client, params: parameterCodec, namespace: namespace, newObject: emptyObjectCreator}
	for _, option := range options {
		option(c)
	}
	return c
}

// NewClientWithList is like NewClient, with lists.
func NewClientWithList[T objectWithMeta, L runtime.Object](resource string, client rest.Interface, parameterCodec runtime.ParameterCodec,
	namespace string, emptyObjectCreator func() T, emptyListCreator func() L, options ...Option[T]) *ClientWithList[T, L] {
	c := NewClient(resource, client, parameterCodec, namespace, emptyObjectCreator, options...)
	return &ClientWithList[T, L]{c, alsoLister[T, L]{c, emptyListCreator}}
}

// NewClientWithApply is like NewClient, with server-side apply.
func NewClientWithApply[T objectWithMeta, C namedObject](resource string, client rest.Interface, parameterCodec runtime.ParameterCodec,
	namespace string, emptyObjectCreator func() T, options ...Option[T]) *ClientWithApply[T, C] {
	c := NewClient(resource, client, parameterCodec, namespace, emptyObjectCreator, options...)
	return &ClientWithApply[T, C]{c, alsoApplier[T, C]{c}}
}

// NewClientWithListAndApply is like NewClient, with lists and server-side apply.
func NewClientWithListAndApply[T objectWithMeta, L runtime.Object, C namedObject](resource string, client rest.Interface,
	parameterCodec runtime.ParameterCodec, namespace string, emptyObjectCreator func() T, emptyListCreator func() L,
	options ...Option[T]) *ClientWithListAndApply[T, L, C] {
	c := NewClient(resource, client, parameterCodec, namespace, emptyObjectCreator, options...)
	return &ClientWithListAndApply[T, L, C]{c, alsoLister[T, L]{c, emptyListCreator}, alsoApplier[T, C]{c}}
}

// GetClient returns the client that sends the requests.
func (c *Client[T]) GetClient() rest.Interface { return c.client }

// GetNamespace returns the namespace of the client.
func (c *Client[T]) GetNamespace() string { return c.namespace }

// Create creates an object, and returns the stored object.
func (c *Client[T]) Create(ctx context.Context, obj T, opts metav1.CreateOptions) (T, error) {
	return c.into(ctx, c.on(c.client.Post()).VersionedParams(&opts, c.params).Body(obj))
}

// Update replaces the object of the same name.
func (c *Client[T]) Update(ctx context.Context, obj T, opts metav1.UpdateOptions) (T, error) {
	return c.put(ctx, obj, opts)
}

// UpdateStatus replaces the status of the object of the same name.
func (c *Client[T]) UpdateStatus(ctx context.Context, obj T, opts metav1.UpdateOptions) (T, error) {
	return c.put(ctx, obj, opts, "status")
}

func (c *Client[T]) put(ctx context.Context, obj T, opts metav1.UpdateOptions, subresources ...string) (T, error) {
	name, err := nameOf(obj)
	if err != nil {
		return *new(T), err
	}
	return c.into(ctx, c.on(c.client.Put()).Name(name).SubResource(subresources...).VersionedParams(&opts, c.params).Body(obj))
}

// Delete deletes the object.
func (c *Client[T]) Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error {
	return c.on(c.client.Delete()).Name(name).Body(&opts).Do(ctx).Error()
}

// Get reads the object of that name.
func (c *Client[T]) Get(ctx context.Context, name string, opts metav1.GetOptions) (T, error) {
	return c.into(ctx, c.on(c.client.Get()).Name(name).VersionedParams(&opts, c.params))
}

// Watch watches the objects that opts selects.
func (c *Client[T]) Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	opts.Watch = true
	return c.selected(c.client.Get(), opts).Watch(ctx)
}

// Patch sends a patch of the given kind, to the object or to one of its subresources.
func (c *Client[T]) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (T, error) {
	return c.into(ctx, c.on(c.client.Patch(pt)).Name(name).SubResource(subresources...).VersionedParams(&opts, c.params).Body(data))
}

// List returns the objects that opts selects, as one list.
func (l *alsoLister[T, L]) List(ctx context.Context, opts metav1.ListOptions) (L, error) {
	list := l.newList()
	return list, l.client.selected(l.client.client.Get(), opts).Do(ctx).Into(list)
}

// DeleteCollection deletes all the objects that listOpts selects.
func (l *alsoLister[T, L]) DeleteCollection(ctx context.Context, opts metav1.DeleteOptions, listOpts metav1.ListOptions) error {
	return l.client.selected(l.client.client.Delete(), listOpts).Body(&opts).Do(ctx).Error()
}

// Apply applies obj with server-side apply, as the field manager in opts.
func (a *alsoApplier[T, C]) Apply(ctx context.Context, obj C, opts metav1.ApplyOptions) (T, error) {
	return a.client.apply(ctx, obj, opts)
}

// ApplyStatus is like Apply, for the status.
func (a *alsoApplier[T, C]) ApplyStatus(ctx context.Context, obj C, opts metav1.ApplyOptions) (T, error) {
	return a.client.apply(ctx, obj, opts, "status")
}

func (c *Client[T]) apply(ctx context.Context, cfg ApplyConfiguration, opts metav1.ApplyOptions, subresources ...string) (T, error) {
	name, err := applyName(cfg)
	if err != nil {
		return *new(T), err
	}
	patchOpts := opts.ToPatchOptions()
	return c.into(ctx, c.on(c.client.Patch(types.ApplyPatchType)).Name(name).SubResource(subresources...).
		VersionedParams(&patchOpts, c.params).ApplyBody(cfg))
}

// on sets this resource, and its namespace, in a request.
func (c *Client[T]) on(r *rest.Request) *rest.Request {
	return r.UseProtobufAsDefaultIfPreferred(c.protobuf).NamespaceIfScoped(c.namespace, c.namespace != "").Resource(c.resource)
}

// selected sets the selection of opts in a request. A timeout in opts also limits the whole request.
func (c *Client[T]) selected(r *rest.Request, opts metav1.ListOptions) *rest.Request {
	var timeout time.Duration
	if opts.TimeoutSeconds != nil {
		timeout = time.Duration(*opts.TimeoutSeconds) * time.Second
	}
	return c.on(r).VersionedParams(&opts, c.params).Timeout(timeout)
}

func (c *Client[T]) into(ctx context.Context, r *rest.Request) (T, error) {
	result := c.newObject()
	return result, r.Do(ctx).Into(result)
}

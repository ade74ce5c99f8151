package dynamic

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/gentype"
	"vedette.dev/rest"
)

// resourceClient speaks for one resource, in one namespace or in none.
type resourceClient struct {
	client    rest.Interface
	resource  schema.GroupVersionResource
	namespace string
}

var (
	_ NamespaceableResourceInterface = &resourceClient{}
	_ Requester                      = &resourceClient{}
)

func (c *resourceClient) Namespace(namespace string) ResourceInterface {
	other := *c
	other.namespace = namespace
	return &other
}

func (c *resourceClient) Create(ctx context.Context, obj *unstructured.Unstructured, opts metav1.CreateOptions, subresources ...string) (*unstructured.Unstructured, error) {
	if obj == nil {
		return nil, c.wrong("create", errors.New("the object is nil"))
	}
	r := c.on(c.client.Post())
	if len(subresources) > 0 {
		r = r.Name(obj.GetName()).SubResource(subresources...)
	}
	return c.object(ctx, "create", r.Body(obj), &opts)
}

func (c *resourceClient) Update(ctx context.Context, obj *unstructured.Unstructured, opts metav1.UpdateOptions, subresources ...string) (*unstructured.Unstructured, error) {
	if obj == nil {
		return nil, c.wrong("update", errors.New("the object is nil"))
	}
	r := c.on(c.client.Put()).Name(obj.GetName()).SubResource(subresources...)
	return c.object(ctx, "update", r.Body(obj), &opts)
}

func (c *resourceClient) UpdateStatus(ctx context.Context, obj *unstructured.Unstructured, opts metav1.UpdateOptions) (*unstructured.Unstructured, error) {
	return c.Update(ctx, obj, opts, "status")
}

func (c *resourceClient) Delete(ctx context.Context, name string, opts metav1.DeleteOptions, subresources ...string) error {
	r := c.on(c.client.Delete()).Name(name).SubResource(subresources...).Body(&opts)
	return c.do(ctx, "delete", r, nil)
}

// DeleteAnswer is Delete, and returns what the server said: a *metav1.Status if the object is gone, or the object. Of some
// kinds the object is also returned when it is gone, in its last state. An answer that cannot be read is nil, and no error:
// the server has done what it was asked to.
func (c *resourceClient) DeleteAnswer(ctx context.Context, name string, opts metav1.DeleteOptions, subresources ...string) (runtime.Object, error) {
	r := c.on(c.client.Delete()).Name(name).SubResource(subresources...).Body(&opts)
	if err := r.Error(); err != nil {
		return nil, c.wrong("delete", err)
	}
	result := r.Do(ctx)
	if err := result.Error(); err != nil {
		return nil, err
	}
	answer, err := result.Get()
	if err != nil {
		return nil, nil
	}
	return answer, nil
}

func (c *resourceClient) DeleteCollection(ctx context.Context, opts metav1.DeleteOptions, listOptions metav1.ListOptions) error {
	return c.do(ctx, "delete", c.selected(c.client.Delete(), listOptions).Body(&opts), nil)
}

func (c *resourceClient) Get(ctx context.Context, name string, opts metav1.GetOptions, subresources ...string) (*unstructured.Unstructured, error) {
	return c.object(ctx, "get", c.on(c.client.Get()).Name(name).SubResource(subresources...), &opts)
}

func (c *resourceClient) List(ctx context.Context, opts metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	list := &unstructured.UnstructuredList{}
	if err := c.do(ctx, "list", c.ListRequest(opts), list); err != nil {
		return nil, err
	}
	if len(list.Items) == 0 {
		list.Items = nil // as in lists of typed clients
	}
	return list, nil
}

func (c *resourceClient) Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	r := c.WatchRequest(opts)
	if err := r.Error(); err != nil {
		return nil, c.wrong("watch", err)
	}
	return r.Watch(ctx)
}

func (c *resourceClient) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (*unstructured.Unstructured, error) {
	r := c.on(c.client.Patch(pt)).Name(name).SubResource(subresources...)
	return c.object(ctx, "patch", r.Body(data), &opts)
}

func (c *resourceClient) Apply(ctx context.Context, name string, obj *unstructured.Unstructured, opts metav1.ApplyOptions, subresources ...string) (*unstructured.Unstructured, error) {
	if obj == nil {
		return nil, c.wrong("apply", errors.New("the object is nil"))
	}
	if len(obj.GetManagedFields()) > 0 {
		return nil, c.wrong("apply", fmt.Errorf("%q has managed fields: send only the fields that you want to own, not an object that was read from the server", name))
	}
	patch := opts.ToPatchOptions()
	r := c.on(c.client.Patch(types.ApplyPatchType)).Name(name).SubResource(subresources...)
	return c.object(ctx, "apply", r.ApplyBody(obj.Object), &patch)
}

func (c *resourceClient) ApplyStatus(ctx context.Context, name string, obj *unstructured.Unstructured, opts metav1.ApplyOptions) (*unstructured.Unstructured, error) {
	return c.Apply(ctx, name, obj, opts, "status")
}

// ListRequest is the request behind List.
func (c *resourceClient) ListRequest(opts metav1.ListOptions) *rest.Request {
	return c.selected(c.client.Get(), opts)
}

// WatchRequest is the request behind Watch.
func (c *resourceClient) WatchRequest(opts metav1.ListOptions) *rest.Request {
	opts.Watch = true
	return c.selected(c.client.Get(), opts)
}

// selected points a request at the objects that opts selects. A time limit in opts is also one for the whole request,
// in case the server does not keep to it.
func (c *resourceClient) selected(r *rest.Request, opts metav1.ListOptions) *rest.Request {
	r = c.on(r).VersionedParams(&opts, gentype.ParameterCodec)
	if opts.TimeoutSeconds != nil {
		r = r.Timeout(time.Duration(*opts.TimeoutSeconds) * time.Second)
	}
	return r
}

func (c *resourceClient) on(r *rest.Request) *rest.Request { return On(r, c.resource, c.namespace) }

func (c *resourceClient) object(ctx context.Context, verb string, r *rest.Request, opts runtime.Object) (*unstructured.Unstructured, error) {
	obj := &unstructured.Unstructured{}
	if err := c.do(ctx, verb, r.VersionedParams(opts, gentype.ParameterCodec), obj); err != nil {
		return nil, err
	}
	return obj, nil
}

// do sends a request and reads the answer into obj, if there is one. The errors of the server name the object; those of
// a request that could not be made get its name here.
func (c *resourceClient) do(ctx context.Context, verb string, r *rest.Request, obj runtime.Object) error {
	if err := r.Error(); err != nil {
		return c.wrong(verb, err)
	}
	result := r.Do(ctx)
	if obj == nil {
		return result.Error()
	}
	return result.Into(obj)
}

func (c *resourceClient) wrong(verb string, err error) error {
	return fmt.Errorf("cannot %s %s in namespace %q: %w", verb, c.resource.GroupResource(), c.namespace, err)
}

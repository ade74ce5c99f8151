package metadata

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/dynamic"
	"vedette.dev/gentype"
	"vedette.dev/rest"
)

// accept returns the media types of responses, best first. Whole objects are the fallback.
func accept(kind string, cbor bool) string {
	as := ";as=" + kind + ";g=meta.k8s.io;v=v1,"
	types := runtime.ContentTypeProtobuf + as
	if cbor {
		types += runtime.ContentTypeCBOR + as
	}
	return types + runtime.ContentTypeJSON + as + runtime.ContentTypeJSON
}

// resourceClient is the client of one resource, in one namespace or in none.
type resourceClient struct {
	client    rest.Interface
	cbor      bool // whether CBOR is allowed
	resource  schema.GroupVersionResource
	namespace string
}

var (
	_ Getter    = &resourceClient{}
	_ Requester = &resourceClient{}
)

func (c *resourceClient) Namespace(namespace string) ResourceInterface {
	other := *c
	other.namespace = namespace
	return &other
}

func (c *resourceClient) Delete(ctx context.Context, name string, opts metav1.DeleteOptions, subresources ...string) error {
	return c.delete(ctx, c.on(c.client.Delete()).Name(name).SubResource(subresources...), opts)
}

func (c *resourceClient) DeleteCollection(ctx context.Context, opts metav1.DeleteOptions, listOptions metav1.ListOptions) error {
	return c.delete(ctx, c.selected(c.client.Delete(), listOptions), opts)
}

// delete sends the options as JSON, because the server cannot decode them as protobuf for custom resources.
func (c *resourceClient) delete(ctx context.Context, r *rest.Request, opts metav1.DeleteOptions) error {
	opts.Kind, opts.APIVersion = "DeleteOptions", "v1"
	body, err := json.Marshal(&opts)
	if err != nil {
		return c.wrong("delete", err)
	}
	if err := r.Error(); err != nil {
		return c.wrong("delete", err)
	}
	return r.SetHeader("Content-Type", runtime.ContentTypeJSON).Body(body).Do(ctx).Error()
}

func (c *resourceClient) Get(ctx context.Context, name string, opts metav1.GetOptions, subresources ...string) (*metav1.PartialObjectMetadata, error) {
	return c.object(ctx, "get", c.on(c.client.Get()).Name(name).SubResource(subresources...), &opts)
}

func (c *resourceClient) List(ctx context.Context, opts metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	r := c.ListRequest(opts)
	if err := r.Error(); err != nil {
		return nil, c.wrong("list", err)
	}
	list := &metav1.PartialObjectMetadataList{}
	if err := r.Do(ctx).Into(list); err != nil {
		return nil, err
	}
	if len(list.Items) == 0 {
		list.Items = nil // in every encoding
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

func (c *resourceClient) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (*metav1.PartialObjectMetadata, error) {
	r := c.on(c.client.Patch(pt)).Name(name).SubResource(subresources...)
	return c.object(ctx, "patch", r.Body(data), &opts)
}

// ListRequest returns the request of List.
func (c *resourceClient) ListRequest(opts metav1.ListOptions) *rest.Request {
	return c.selected(c.client.Get(), opts).SetHeader("Accept", accept("PartialObjectMetadataList", c.cbor))
}

// WatchRequest returns the request of Watch.
func (c *resourceClient) WatchRequest(opts metav1.ListOptions) *rest.Request {
	opts.Watch = true
	return c.selected(c.client.Get(), opts).SetHeader("Accept", accept("PartialObjectMetadata", c.cbor))
}

// selected sets the selection of opts in a request. A timeout in opts also limits the whole request, in case the server
// does not respect it.
func (c *resourceClient) selected(r *rest.Request, opts metav1.ListOptions) *rest.Request {
	r = c.on(r).VersionedParams(&opts, gentype.ParameterCodec)
	if opts.TimeoutSeconds != nil {
		r = r.Timeout(time.Duration(*opts.TimeoutSeconds) * time.Second)
	}
	return r
}

func (c *resourceClient) object(ctx context.Context, verb string, r *rest.Request, opts runtime.Object) (*metav1.PartialObjectMetadata, error) {
	r = r.VersionedParams(opts, gentype.ParameterCodec).SetHeader("Accept", accept("PartialObjectMetadata", c.cbor))
	if err := r.Error(); err != nil {
		return nil, c.wrong(verb, err)
	}
	obj := &metav1.PartialObjectMetadata{}
	if err := r.Do(ctx).Into(obj); err != nil {
		return nil, err
	}
	return obj, nil
}

func (c *resourceClient) on(r *rest.Request) *rest.Request {
	return dynamic.On(r, c.resource, c.namespace)
}

func (c *resourceClient) wrong(verb string, err error) error {
	return fmt.Errorf("cannot %s the metadata of %s in namespace %q: %w", verb, c.resource.GroupResource(), c.namespace, err)
}

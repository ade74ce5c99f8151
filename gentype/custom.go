package gentype

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/rest"
)

// Resource names a kind of your own, as its CustomResourceDefinition does.
type Resource struct {
	Group, Version string
	Kind           string
	// Plural is the name in the path, such as "widgets".
	Plural string
}

func (r Resource) validate() error {
	for _, field := range []struct{ name, value string }{
		{"Group", r.Group}, {"Version", r.Version}, {"Kind", r.Kind}, {"Plural", r.Plural},
	} {
		if field.value == "" {
			return fmt.Errorf("gentype.Resource: %s is empty", field.name)
		}
	}
	return nil
}

// List is a list of objects of type T.
type List[T any] struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []T `json:"items"`
}

// Event is a change of an object of type T.
type Event[T any] struct {
	Type   watch.EventType
	Object *T
}

// Custom is a client for a kind of your own. T is a struct that embeds metav1.TypeMeta and metav1.ObjectMeta; nothing
// need be generated for it. It speaks JSON, or CBOR if rest.Config.AllowCBOR or PreferCBOR is set.
type Custom[T any] struct {
	resource Resource
	inner    *ResourceClient[T, List[T]]
}

// NewForConfig returns a client for all namespaces. Use In for one of them.
func NewForConfig[T any](c *rest.Config, resource Resource) (*Custom[T], error) {
	if err := resource.validate(); err != nil {
		return nil, err
	}
	if _, ok := any(new(T)).(metav1.Object); !ok {
		return nil, fmt.Errorf("gentype: %T has no metadata: embed metav1.TypeMeta and metav1.ObjectMeta in it", *new(T))
	}
	gv := schema.GroupVersion{Group: resource.Group, Version: resource.Version}
	group := NewGroup(gv, func(s *runtime.Scheme) error {
		metav1.AddToGroupVersion(s, gv)
		return nil
	})
	return ForConfig(c, group, func(client rest.Interface) *Custom[T] {
		return &Custom[T]{resource: resource, inner: NewJSON[T, List[T]](client, resource.Plural, "")}
	})
}

// In returns the client for one namespace.
func (c *Custom[T]) In(namespace string) *Custom[T] {
	return &Custom[T]{resource: c.resource, inner: NewJSON[T, List[T]](c.inner.client, c.inner.resource, namespace)}
}

// RESTClient returns the client that carries the requests.
func (c *Custom[T]) RESTClient() rest.Interface { return c.inner.client }

// Create sends a new object, and returns it as the server stored it.
func (c *Custom[T]) Create(ctx context.Context, obj *T, opts metav1.CreateOptions) (*T, error) {
	return c.send(ctx, c.inner.On(c.inner.client.Post()).VersionedParams(&opts, ParameterCodec), obj)
}

// Update replaces the object of the same name.
func (c *Custom[T]) Update(ctx context.Context, obj *T, opts metav1.UpdateOptions) (*T, error) {
	return c.put(ctx, obj, opts)
}

// UpdateStatus replaces the status of the object of the same name.
func (c *Custom[T]) UpdateStatus(ctx context.Context, obj *T, opts metav1.UpdateOptions) (*T, error) {
	return c.put(ctx, obj, opts, "status")
}

func (c *Custom[T]) put(ctx context.Context, obj *T, opts metav1.UpdateOptions, subresources ...string) (*T, error) {
	name, err := nameOf(obj)
	if err != nil {
		return nil, err
	}
	return c.send(ctx, c.inner.On(c.inner.client.Put()).Name(name).SubResource(subresources...).
		VersionedParams(&opts, ParameterCodec), obj)
}

// Delete asks the server to delete the object.
func (c *Custom[T]) Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error {
	return c.inner.Delete(ctx, name, opts)
}

// DeleteCollection deletes all the objects that listOpts selects.
func (c *Custom[T]) DeleteCollection(ctx context.Context, opts metav1.DeleteOptions, listOpts metav1.ListOptions) error {
	return c.inner.DeleteCollection(ctx, opts, listOpts)
}

// Get reads the object of that name.
func (c *Custom[T]) Get(ctx context.Context, name string, opts metav1.GetOptions) (*T, error) {
	return intoAny[T](ctx, c.inner.On(c.inner.client.Get()).Name(name).VersionedParams(&opts, ParameterCodec))
}

// List reads the objects that opts selects.
func (c *Custom[T]) List(ctx context.Context, opts metav1.ListOptions) (*List[T], error) {
	return intoAny[List[T]](ctx, c.ListRequest(opts))
}

// ListRequest is the request behind List, for callers who want its Items.
func (c *Custom[T]) ListRequest(opts metav1.ListOptions) *rest.Request {
	return c.inner.ListRequest(opts)
}

// WatchRequest is the request behind Watch, for callers who want its Frames.
func (c *Custom[T]) WatchRequest(opts metav1.ListOptions) *rest.Request {
	return c.inner.WatchRequest(opts)
}

// Watch yields the events of the objects that opts selects, in a range loop, until the server or the context ends it. An
// error is the last thing it tells.
func (c *Custom[T]) Watch(ctx context.Context, opts metav1.ListOptions) iter.Seq2[Event[T], error] {
	return func(yield func(Event[T], error) bool) {
		frames, err := c.WatchRequest(opts).Frames(ctx)
		if err != nil {
			yield(Event[T]{}, err)
			return
		}
		defer frames.Close()
		for {
			event, err := nextEvent[T](frames)
			if err == io.EOF {
				return
			}
			if !yield(event, err) || err != nil {
				return
			}
		}
	}
}

func nextEvent[T any](frames *rest.Frames) (Event[T], error) {
	frame, err := frames.Next()
	if err == nil {
		err = frame.Err()
	}
	if err != nil {
		return Event[T]{}, err
	}
	obj := new(T)
	if err := frame.Object.Into(obj); err != nil {
		return Event[T]{}, err
	}
	return Event[T]{Type: frame.Type, Object: obj}, nil
}

// Patch sends a patch of the given kind, to the object or to one of its subresources.
func (c *Custom[T]) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (*T, error) {
	return intoAny[T](ctx, c.inner.On(c.inner.client.Patch(pt)).Name(name).SubResource(subresources...).
		VersionedParams(&opts, ParameterCodec).Body(data))
}

// Apply makes the object as obj says, in the name of the field manager in opts. See the function Apply for which fields
// are sent.
func (c *Custom[T]) Apply(ctx context.Context, obj *T, opts metav1.ApplyOptions, subresources ...string) (*T, error) {
	cfg, err := Apply(any(obj).(metav1.Object), c.gvk())
	if err != nil {
		return nil, err
	}
	name, err := applyName(cfg)
	if err != nil {
		return nil, err
	}
	patchOpts := opts.ToPatchOptions()
	return intoAny[T](ctx, c.inner.On(c.inner.client.Patch(types.ApplyPatchType)).Name(name).SubResource(subresources...).
		VersionedParams(&patchOpts, ParameterCodec).ApplyBody(cfg))
}

func (c *Custom[T]) gvk() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: c.resource.Group, Version: c.resource.Version, Kind: c.resource.Kind}
}

// send sends an object as the body of a request.
func (c *Custom[T]) send(ctx context.Context, r *rest.Request, obj *T) (*T, error) {
	content, err := c.content(obj)
	if err != nil {
		return nil, err
	}
	return intoAny[T](ctx, r.ValueBody(content))
}

// content returns the fields of an object with the kind filled in, which few people do by hand.
func (c *Custom[T]) content(obj *T) (map[string]json.RawMessage, error) {
	if obj == nil {
		return nil, fmt.Errorf("the %s is nil", c.resource.Kind)
	}
	data, err := json.Marshal(obj)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the %s: %w", c.resource.Kind, err)
	}
	var content map[string]json.RawMessage
	if err := json.Unmarshal(data, &content); err != nil {
		return nil, fmt.Errorf("the %s is not an object in JSON: %w", c.resource.Kind, err)
	}
	apiVersion, kind := c.gvk().ToAPIVersionAndKind()
	content["apiVersion"], content["kind"] = quoted(apiVersion), quoted(kind)
	return content, nil
}

func quoted(s string) json.RawMessage {
	data, _ := json.Marshal(s) // a string can always be marshalled
	return data
}

// intoAny does the request and decodes the answer.
func intoAny[R any](ctx context.Context, r *rest.Request) (*R, error) {
	result := r.Do(ctx)
	if err := result.Error(); err != nil {
		return nil, err
	}
	out := new(R)
	if err := result.IntoAny(out); err != nil {
		return nil, fmt.Errorf("%s: cannot decode the answer into a %T: %w", r.URL().Path, out, err)
	}
	return out, nil
}

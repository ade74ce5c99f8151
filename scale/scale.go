// Package scale reads and changes the scale of any resource that has one, such as deployments or custom resources.
//
//	resolver := scale.NewDiscoveryScaleKindResolver(client.Discovery())
//	scales, err := scale.NewForConfig(config, mapper, dynamic.LegacyAPIPathResolverFunc, resolver)
//	s, err := scales.Scales(namespace).Get(ctx, schema.GroupResource{Group: "apps", Resource: "deployments"}, "web", metav1.GetOptions{})
//	s.Spec.Replicas = 3
//	s, err = scales.Scales(namespace).Update(ctx, schema.GroupResource{Group: "apps", Resource: "deployments"}, s, metav1.UpdateOptions{})
//
// Scales are of autoscaling/v1. Resources whose scales are of apps/v1beta1, apps/v1beta2 or extensions/v1beta1 get and
// return these: a [ScaleConverter] converts them.
package scale

import (
	"context"
	"errors"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/dynamic"
	"vedette.dev/gentype"
	"vedette.dev/rest"
)

// ScalesGetter has scales of all namespaces.
type ScalesGetter interface {
	// Scales returns the scales in a namespace. An empty one is for resources that are cluster-scoped.
	Scales(namespace string) ScaleInterface
}

// ScaleInterface reads and changes scales.
type ScaleInterface interface {
	// Get reads the scale of an object, in the version of the resource that the server prefers.
	Get(ctx context.Context, resource schema.GroupResource, name string, opts metav1.GetOptions) (*autoscalingv1.Scale, error)
	// Update replaces the scale of the object of the same name.
	Update(ctx context.Context, resource schema.GroupResource, scale *autoscalingv1.Scale, opts metav1.UpdateOptions) (*autoscalingv1.Scale, error)
	// Patch changes the scale of an object.
	Patch(ctx context.Context, gvr schema.GroupVersionResource, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions) (*autoscalingv1.Scale, error)
}

// PreferredResourceMapper returns the version of a resource that the server prefers. A meta.RESTMapper is one.
type PreferredResourceMapper interface {
	// ResourceFor completes a resource whose version is empty.
	ResourceFor(resource schema.GroupVersionResource) (preferredResource schema.GroupVersionResource, err error)
}

// converter is shared by all clients: it does not change.
var converter = NewScaleConverter()

type client struct {
	rest     rest.Interface
	mapper   PreferredResourceMapper
	apiPath  dynamic.APIPathResolverFunc
	resolver ScaleKindResolver
}

// NewForConfig returns scales of the server of a configuration, which is not changed. The resolver of paths is usually
// dynamic.LegacyAPIPathResolverFunc.
func NewForConfig(cfg *rest.Config, mapper PreferredResourceMapper, resolver dynamic.APIPathResolverFunc, scaleKindResolver ScaleKindResolver) (ScalesGetter, error) {
	config := rest.CopyConfig(cfg)
	config.GroupVersion = &schema.GroupVersion{}
	config.NegotiatedSerializer = converter.codecs.WithoutConversion()
	if config.UserAgent == "" {
		config.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	c, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, err
	}
	return New(c, mapper, resolver, scaleKindResolver), nil
}

// New is like NewForConfig, with a given client. Its group version is not used.
func New(baseClient rest.Interface, mapper PreferredResourceMapper, resolver dynamic.APIPathResolverFunc, scaleKindResolver ScaleKindResolver) ScalesGetter {
	return &client{rest: baseClient, mapper: mapper, apiPath: resolver, resolver: scaleKindResolver}
}

// Scales implements ScalesGetter.
func (c *client) Scales(namespace string) ScaleInterface { return &scales{c, namespace} }

type scales struct {
	*client
	namespace string
}

// Get implements ScaleInterface.
func (c *scales) Get(ctx context.Context, resource schema.GroupResource, name string, opts metav1.GetOptions) (*autoscalingv1.Scale, error) {
	gvr, err := c.preferred(resource)
	if err != nil {
		return nil, err
	}
	return send(ctx, c.on(c.rest.Get(), gvr, name).VersionedParams(&opts, gentype.ParameterCodec))
}

// Update implements ScaleInterface.
func (c *scales) Update(ctx context.Context, resource schema.GroupResource, scale *autoscalingv1.Scale, opts metav1.UpdateOptions) (*autoscalingv1.Scale, error) {
	if scale == nil {
		return nil, errors.New("the scale is nil")
	}
	gvr, err := c.preferred(resource)
	if err != nil {
		return nil, err
	}
	kind, err := c.resolver.ScaleForResource(gvr)
	if err != nil {
		return nil, fmt.Errorf("kind of the scale of %s: %w", gvr, err)
	}
	converted, err := converter.ConvertToVersion(scale, kind.GroupVersion())
	if err != nil {
		return nil, err
	}
	data, err := runtime.Encode(converter.codecs.LegacyCodec(kind.GroupVersion()), converted)
	if err != nil {
		return nil, err
	}
	return send(ctx, c.on(c.rest.Put(), gvr, scale.Name).VersionedParams(&opts, gentype.ParameterCodec).
		SetHeader("Content-Type", runtime.ContentTypeJSON).Body(data))
}

// Patch implements ScaleInterface.
func (c *scales) Patch(ctx context.Context, gvr schema.GroupVersionResource, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions) (*autoscalingv1.Scale, error) {
	return send(ctx, c.on(c.rest.Patch(pt), gvr, name).VersionedParams(&opts, gentype.ParameterCodec).Body(data))
}

func (c *scales) preferred(resource schema.GroupResource) (schema.GroupVersionResource, error) {
	gvr, err := c.mapper.ResourceFor(resource.WithVersion(""))
	if err != nil {
		return gvr, fmt.Errorf("preferred version of %s: %w", resource, err)
	}
	return gvr, nil
}

// on sets the scale of an object in a request.
func (c *scales) on(r *rest.Request, gvr schema.GroupVersionResource, name string) *rest.Request {
	root := c.apiPath(gvr.GroupVersion().WithKind(""))
	if root == "" {
		root = "/api"
	}
	return r.AbsPath(rest.DefaultVersionedAPIPath(root, gvr.GroupVersion())).
		NamespaceIfScoped(c.namespace, c.namespace != "").Resource(gvr.Resource).Name(name).SubResource("scale")
}

// send decodes a scale of any version.
func send(ctx context.Context, r *rest.Request) (*autoscalingv1.Scale, error) {
	data, err := r.Do(ctx).Raw()
	if err != nil {
		return nil, err
	}
	obj, err := runtime.Decode(converter.codecs.UniversalDeserializer(), data)
	if err != nil {
		return nil, err
	}
	converted, err := converter.ConvertToVersion(obj, autoscalingv1.SchemeGroupVersion)
	if err != nil {
		return nil, err
	}
	return converted.(*autoscalingv1.Scale), nil
}

package shard

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/cache"
	"vedette.dev/gentype"
	"vedette.dev/rest"
)

// newClient returns a client for one resource of a cluster. It does not decode objects, so its scheme has none.
func newClient(config *rest.Config, resource schema.GroupVersionResource) (rest.Interface, error) {
	if config == nil {
		return nil, errors.New("no rest.Config")
	}
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	c := rest.CopyConfig(config)
	gv := resource.GroupVersion()
	c.GroupVersion = &gv
	c.APIPath = "/apis"
	if gv.Group == "" {
		c.APIPath = "/api"
	}
	c.NegotiatedSerializer = rest.CodecFactoryForGeneratedClient(scheme, serializer.CodecFactory{}).WithoutConversion()
	if c.UserAgent == "" {
		c.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	return rest.RESTClientFor(c)
}

// requester creates the requests for one resource in one namespace, or in all.
type requester struct {
	client              rest.Interface
	resource, namespace string
	protobuf            bool
}

func (r requester) ListRequest(opts metav1.ListOptions) *rest.Request {
	request := r.client.Get().Namespace(r.namespace).Resource(r.resource).VersionedParams(&opts, gentype.ParameterCodec)
	if r.protobuf {
		request.UseProtobufAsDefault()
	}
	return request
}

func (r requester) WatchRequest(opts metav1.ListOptions) *rest.Request {
	opts.Watch = true
	return r.ListRequest(opts)
}

// exists returns a function that requests one object.
func exists(r cache.Requester) func(ctx context.Context, namespace, name string) (types.UID, bool, error) {
	return func(ctx context.Context, namespace, name string) (types.UID, bool, error) {
		selector := fields.Set{"metadata.name": name}
		if namespace != "" {
			selector["metadata.namespace"] = namespace
		}
		uid, n, err := firstOf(ctx, r.ListRequest(metav1.ListOptions{FieldSelector: selector.String(), Limit: 1}))
		return uid, n > 0, err
	}
}

// firstOf reads a short list, and returns the UID of its first object and how many there are.
func firstOf(ctx context.Context, request *rest.Request) (uid types.UID, n int, err error) {
	items, err := request.Items(ctx)
	if err != nil {
		return "", 0, err
	}
	defer items.Close()
	for raw, err := range items.All() {
		if err != nil {
			return "", 0, err
		}
		m, err := raw.Meta()
		if err != nil {
			return "", 0, fmt.Errorf("cannot decode an item: %w", err)
		}
		if n == 0 {
			uid = m.UID
		}
		n++
	}
	return uid, n, nil
}

package metadata

import (
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/rest"
)

// Client is a client for the metadata of any resource of a server. It is safe for concurrent use.
type Client struct {
	client rest.Interface
	cbor   bool
}

var _ Interface = &Client{}

// NewForConfig returns a client for the server in inConfig.
func NewForConfig(inConfig *rest.Config) (Interface, error) {
	config := ConfigFor(inConfig)
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return NewForConfigAndClient(config, httpClient)
}

// NewForConfigAndClient is like [NewForConfig], with a given HTTP client in place of the connection settings in inConfig.
func NewForConfigAndClient(inConfig *rest.Config, h *http.Client) (Interface, error) {
	config := ConfigFor(inConfig)
	config.APIPath = ""
	config.GroupVersion = &schema.GroupVersion{}
	client, err := rest.UnversionedRESTClientForConfigAndClient(config, h)
	if err != nil {
		return nil, err
	}
	return &Client{client: client, cbor: config.AllowCBOR || config.PreferCBOR}, nil
}

// NewForConfigOrDie is like [NewForConfig], and panics if there is an error.
func NewForConfigOrDie(c *rest.Config) Interface {
	client, err := NewForConfig(c)
	if err != nil {
		panic(err)
	}
	return client
}

// ConfigFor returns a copy of inConfig for metadata, which comes as protobuf, or in CBOR (if that is allowed) or JSON from a server
// that has no protobuf for it.
func ConfigFor(inConfig *rest.Config) *rest.Config {
	config := rest.CopyConfig(inConfig)
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	config.ContentType = runtime.ContentTypeProtobuf
	config.NegotiatedSerializer = newCodecs()
	if config.UserAgent == "" {
		config.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	return config
}

// Resource returns the client of a resource. It implements [Requester], too.
func (c *Client) Resource(resource schema.GroupVersionResource) Getter {
	return &resourceClient{client: c.client, cbor: c.cbor, resource: resource}
}

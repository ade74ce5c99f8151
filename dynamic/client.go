package dynamic

import (
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/rest"
)

// DynamicClient is a client for any resource of a server. It is safe for concurrent use.
type DynamicClient struct {
	client rest.Interface
}

var _ Interface = &DynamicClient{}

// New returns a client that sends its requests with c, which was created with [ConfigFor], or encodes unstructured
// objects in another way.
func New(c rest.Interface) *DynamicClient { return &DynamicClient{client: c} }

// NewForConfig returns a client for the server in inConfig.
func NewForConfig(inConfig *rest.Config) (*DynamicClient, error) {
	config := ConfigFor(inConfig)
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return NewForConfigAndClient(config, httpClient)
}

// NewForConfigAndClient is like [NewForConfig], with a given HTTP client in place of the connection settings in inConfig.
func NewForConfigAndClient(inConfig *rest.Config, h *http.Client) (*DynamicClient, error) {
	config := ConfigFor(inConfig)
	config.APIPath = ""
	config.GroupVersion = &schema.GroupVersion{}
	client, err := rest.UnversionedRESTClientForConfigAndClient(config, h)
	if err != nil {
		return nil, err
	}
	return New(client), nil
}

// NewForConfigOrDie is like [NewForConfig], and panics if there is an error.
func NewForConfigOrDie(c *rest.Config) *DynamicClient {
	client, err := NewForConfig(c)
	if err != nil {
		panic(err)
	}
	return client
}

// ConfigFor returns a copy of inConfig for unstructured objects, which are encoded as JSON, or as CBOR if AllowCBOR or
// PreferCBOR is set.
func ConfigFor(inConfig *rest.Config) *rest.Config {
	config := rest.CopyConfig(inConfig)
	config.AcceptContentTypes = runtime.ContentTypeJSON
	config.ContentType = runtime.ContentTypeJSON
	if config.AllowCBOR || config.PreferCBOR {
		config.AcceptContentTypes, config.ContentType = "", "" // the REST client chooses
	}
	config.NegotiatedSerializer = codecs()
	if config.UserAgent == "" {
		config.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	return config
}

// Resource returns the client of a resource. It implements [Requester], too.
func (c *DynamicClient) Resource(resource schema.GroupVersionResource) NamespaceableResourceInterface {
	return &resourceClient{client: c.client, resource: resource}
}

package discovery

import (
	"context"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"

	"vedette.dev/rest"
)

const (
	// defaultTimeout is an unusual number, so that it can be recognised in a log.
	defaultTimeout = 32 * time.Second
	// defaultBurst is for servers without aggregated discovery, where each group version is a request.
	defaultBurst = 300
)

// DiscoveryClient sends requests to the server each time. It is safe for concurrent use as long as its fields are not
// changed.
type DiscoveryClient struct {
	restClient rest.Interface

	// LegacyPrefix is the path of the core group; constructors set it to "/api".
	LegacyPrefix string
	// UseLegacyDiscovery disables aggregated discovery.
	UseLegacyDiscovery bool
	// NoPeerDiscovery requests only what the responding server serves, without its peers in the control plane.
	NoPeerDiscovery bool
}

var (
	_ AggregatedDiscoveryInterface            = &DiscoveryClient{}
	_ AggregatedDiscoveryInterfaceWithContext = &DiscoveryClient{}
	_ DiscoveryInterfaces                     = &DiscoveryClient{}
)

// NewDiscoveryClient returns a client that sends its requests with c. It must support JSON; its group version is not
// used.
func NewDiscoveryClient(c rest.Interface) *DiscoveryClient {
	return &DiscoveryClient{restClient: c, LegacyPrefix: "/api"}
}

// NewDiscoveryClientForConfig returns a client for the server in c.
func NewDiscoveryClientForConfig(c *rest.Config) (*DiscoveryClient, error) {
	config := withDefaults(c)
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return NewDiscoveryClientForConfigAndClient(config, httpClient)
}

// NewDiscoveryClientForConfigAndClient is like NewDiscoveryClientForConfig, with a given HTTP client in place of the
// connection settings in c.
func NewDiscoveryClientForConfigAndClient(c *rest.Config, httpClient *http.Client) (*DiscoveryClient, error) {
	client, err := rest.UnversionedRESTClientForConfigAndClient(withDefaults(c), httpClient)
	if err != nil {
		return nil, err
	}
	return NewDiscoveryClient(client), nil
}

// NewDiscoveryClientForConfigOrDie is like NewDiscoveryClientForConfig, and panics if there is an error.
func NewDiscoveryClientForConfigOrDie(c *rest.Config) *DiscoveryClient {
	client, err := NewDiscoveryClientForConfig(c)
	if err != nil {
		panic(err)
	}
	return client
}

// RESTClient returns the REST client; nil for a nil client.
func (d *DiscoveryClient) RESTClient() rest.Interface {
	if d == nil {
		return nil
	}
	return d.restClient
}

// WithLegacyWithContext returns a copy that does not use aggregated discovery.
func (d *DiscoveryClient) WithLegacyWithContext(context.Context) DiscoveryInterfaceWithContext {
	return d.legacy()
}

func (d *DiscoveryClient) legacy() *DiscoveryClient {
	client := *d
	client.UseLegacyDiscovery = true
	return &client
}

func withDefaults(c *rest.Config) *rest.Config {
	config := rest.CopyConfig(c)
	config.APIPath = ""
	config.GroupVersion = nil
	if config.Timeout == 0 {
		config.Timeout = defaultTimeout
	}
	if config.Burst == 0 {
		config.Burst = defaultBurst
	}
	if config.UserAgent == "" {
		config.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	config.NegotiatedSerializer = codecs()
	return config
}

// codecs decode the Status of an error response. The documents themselves are decoded by this package.
func codecs() runtime.NegotiatedSerializer {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	return runtime.NewSimpleNegotiatedSerializer(runtime.SerializerInfo{
		MediaType:        runtime.ContentTypeJSON,
		MediaTypeType:    "application",
		MediaTypeSubType: "json",
		EncodesAsText:    true,
		Serializer:       json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{}),
	})
}

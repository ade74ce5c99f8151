package kubernetes

import (
	"errors"
	"net/http"

	"vedette.dev/discovery"
	"vedette.dev/flowcontrol"
	"vedette.dev/rest"
)

var _ Interface = (*Clientset)(nil)

// Clientset has a client for each version of each API group, and for discovery.
type Clientset struct {
	*discovery.DiscoveryClient
	groups *groups
}

// NewForConfig returns a clientset. Its clients share the connections of c.
func NewForConfig(c *rest.Config) (*Clientset, error) {
	config := withUserAgent(c)
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return NewForConfigAndClient(config, httpClient)
}

// NewForConfigAndClient is like NewForConfig, with a given HTTP client in place of the connection settings in c.
func NewForConfigAndClient(c *rest.Config, httpClient *http.Client) (*Clientset, error) {
	config := withUserAgent(c)
	if err := shareLimit(config); err != nil {
		return nil, err
	}
	// This one is created at once, and so detects errors in the configuration: the groups' clients use the rest of it
	// in the same way.
	discoveryClient, err := discovery.NewDiscoveryClientForConfigAndClient(config, httpClient)
	if err != nil {
		return nil, err
	}
	return &Clientset{discoveryClient, &groups{source: source{config: config, httpClient: httpClient}}}, nil
}

// NewForConfigOrDie is like NewForConfig, and panics if there is an error.
func NewForConfigOrDie(c *rest.Config) *Clientset {
	clientset, err := NewForConfig(c)
	if err != nil {
		panic(err)
	}
	return clientset
}

// New returns a clientset that sends all requests with c. Paths are those of c, so a client for one group serves that
// group only.
func New(c rest.Interface) *Clientset {
	return &Clientset{discovery.NewDiscoveryClient(c), &groups{source: source{client: c}}}
}

// Discovery returns the discovery client.
func (c *Clientset) Discovery() discovery.DiscoveryInterfaces {
	if c == nil {
		return nil
	}
	return c.DiscoveryClient
}

func withUserAgent(c *rest.Config) *rest.Config {
	config := rest.CopyConfig(c)
	if config.UserAgent == "" {
		config.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	return config
}

// shareLimit gives all clients one rate limit if the configuration has one. Without a QPS, each client has its own.
func shareLimit(config *rest.Config) error {
	if config.RateLimiter != nil || config.QPS <= 0 {
		return nil
	}
	if config.Burst <= 0 {
		return errors.New("burst is required to be greater than 0 when RateLimiter is not set and QPS is set to greater than 0")
	}
	config.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(config.QPS, config.Burst)
	return nil
}

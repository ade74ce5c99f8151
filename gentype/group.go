package gentype

import (
	"net/http"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"vedette.dev/rest"
)

// A Group is one version of an API group, with the types of its clients.
type Group struct {
	version schema.GroupVersion
	types   runtime.SchemeBuilder

	once   sync.Once // guards the fields below
	codecs runtime.NegotiatedSerializer
	err    error
}

// NewGroup returns a group. Each of types adds the types of a package to a scheme: first the group's own, then others
// that its clients need for subresources. The scheme is created with the first client, and shared by all others: some
// programs create a client per user.
func NewGroup(version schema.GroupVersion, types ...func(*runtime.Scheme) error) *Group {
	return &Group{version: version, types: types}
}

// ForConfig returns the client of a group: wrap is the group's New.
func ForConfig[C any](c *rest.Config, group *Group, wrap func(rest.Interface) *C) (*C, error) {
	config, err := group.configure(c)
	if err != nil {
		return nil, err
	}
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return forConfigured(config, httpClient, wrap)
}

// ForConfigAndClient is like ForConfig, with a given HTTP client in place of the connection settings in c.
func ForConfigAndClient[C any](c *rest.Config, h *http.Client, group *Group, wrap func(rest.Interface) *C) (*C, error) {
	config, err := group.configure(c)
	if err != nil {
		return nil, err
	}
	return forConfigured(config, h, wrap)
}

func forConfigured[C any](config *rest.Config, h *http.Client, wrap func(rest.Interface) *C) (*C, error) {
	client, err := rest.RESTClientForConfigAndClient(config, h)
	if err != nil {
		return nil, err
	}
	return wrap(client), nil
}

// Must panics if there is an error. It is for the OrDie constructors.
func Must[C any](client *C, err error) *C {
	if err != nil {
		panic(err)
	}
	return client
}

// makeCodecs creates the codecs of a scheme with only this group, so that a program that uses one group does not link
// the others.
func (g *Group) makeCodecs() {
	scheme := runtime.NewScheme()
	g.err = g.types.AddToScheme(scheme)
	g.codecs = rest.CodecFactoryForGeneratedClient(scheme, serializer.CodecFactory{}).WithoutConversion()
}

// configure returns a copy of c for this group.
func (g *Group) configure(c *rest.Config) (*rest.Config, error) {
	g.once.Do(g.makeCodecs)
	if g.err != nil {
		return nil, g.err
	}
	config := rest.CopyConfig(c)
	version := g.version
	config.GroupVersion = &version
	config.APIPath = apiPath(version)
	config.NegotiatedSerializer = g.codecs
	if config.UserAgent == "" {
		config.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	return config, nil
}

// apiPath returns the path of a group: the core group has its own.
func apiPath(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "/api"
	}
	return "/apis"
}

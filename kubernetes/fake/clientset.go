package fake

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest"
	"vedette.dev/discovery"
	fakediscovery "vedette.dev/discovery/fake"
	"vedette.dev/internal/fakes"
	"vedette.dev/internal/tracker"
	"vedette.dev/kubernetes"
	"vedette.dev/kubernetes/scheme"
	"vedette.dev/rest"
	"vedette.dev/testing"
)

var (
	_ kubernetes.Interface = (*Clientset)(nil)
	_ testing.FakeClient   = (*Clientset)(nil)
)

// Clientset is a clientset for tests. Its zero value has no server: what no reactor handles is answered with empty
// objects.
type Clientset struct {
	testing.Fake

	tracker   *tracker.Tracker // nil without a server
	once      sync.Once        // guards the fields below
	real      *kubernetes.Clientset
	discovery *fakediscovery.FakeDiscovery
}

// NewClientset returns a clientset whose server has these objects, with UID and version, and from then on validates and
// defaults objects as a cluster does. Namespaces are created as needed. It panics if the kind of an object is not served.
// Tests that were written for client-go's NewClientset, which does none of this, want [NewSimpleClientset].
func NewClientset(objects ...runtime.Object) *Clientset {
	return newClientset(apitest.Config{CreateNamespaces: true}, objects)
}

// NewSimpleClientset returns a clientset whose server has these objects, and stores others unchanged: without validation and
// defaults, UID, version and creation timestamp. It panics if the kind of an object is not served.
func NewSimpleClientset(objects ...runtime.Object) *Clientset {
	return newClientset(apitest.Config{Unversioned: true}, objects)
}

// AddToScheme adds all types of this clientset to a scheme.
var AddToScheme = scheme.AddToScheme

func newClientset(config apitest.Config, objects []runtime.Object) *Clientset {
	c := &Clientset{}
	c.tracker = fakes.Serve(&c.Fake, config, scheme.Scheme, objects)
	return c
}

// Tracker returns the tracker of the objects, which records no actions and calls no reactors. It is nil if there is no
// server.
func (c *Clientset) Tracker() testing.ObjectTracker {
	if c.tracker == nil {
		return nil
	}
	return c.tracker
}

// Discovery returns a *FakeDiscovery of package discovery/fake: what the server serves or, if they are set, the Resources
// of the Fake.
func (c *Clientset) Discovery() discovery.DiscoveryInterfaces {
	c.client()
	return c.discovery
}

// IsWatchListSemanticsUnSupported returns false: streaming lists are supported. If a reactor handles lists or watches,
// the server rejects streaming lists, and reflectors list.
func (c *Clientset) IsWatchListSemanticsUnSupported() bool { return false }

// client returns the real clientset behind this one.
func (c *Clientset) client() *kubernetes.Clientset {
	c.once.Do(func() {
		transport := &fakes.Transport{Fake: &c.Fake, Codec: fakes.Builtin()}
		config := &rest.Config{Host: "http://fake", QPS: -1}
		if c.tracker != nil {
			config = c.tracker.Server().RESTConfig()
			transport.Server, transport.Usable = config.Transport, c.tracker.Usable
		}
		config.Transport = transport
		c.real = kubernetes.NewForConfigOrDie(config)
		c.discovery = fakediscovery.New(&c.Fake, c.real.Discovery())
	})
	return c.real
}

package fake

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest"
	"vedette.dev/discovery"
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

// Clientset is a clientset for tests. Its zero value has no server: what no reactor answers is answered with empty objects.
type Clientset struct {
	testing.Fake

	tracker *tracker.Tracker // nil without a server
	once    sync.Once        // guards what follows
	real    *kubernetes.Clientset
}

// NewClientset makes a clientset whose server has these objects, as they are, and from then on checks what it gets and fills in
// defaults as a cluster does. Namespaces are made as they are needed. It panics if an object is of no kind that is served.
func NewClientset(objects ...runtime.Object) *Clientset {
	return newClientset(apitest.Config{CreateNamespaces: true}, objects)
}

// NewSimpleClientset makes a clientset whose server has these objects, and takes others as they are: it knows no rules and no
// defaults. It panics if an object is of no kind that is served, or has no name.
func NewSimpleClientset(objects ...runtime.Object) *Clientset {
	return newClientset(apitest.Config{Lenient: true}, objects)
}

// AddToScheme adds all types of this clientset to a scheme.
var AddToScheme = scheme.AddToScheme

func newClientset(config apitest.Config, objects []runtime.Object) *Clientset {
	c := &Clientset{}
	c.tracker = fakes.Serve(&c.Fake, config, scheme.Scheme, objects)
	return c
}

// Tracker is the way to the objects that leaves no trace among the actions and meets no reactor. It is nil if there is no server.
func (c *Clientset) Tracker() testing.ObjectTracker {
	if c.tracker == nil {
		return nil
	}
	return c.tracker
}

// Discovery says what the server serves or, if they are set, the Resources of the Fake.
func (c *Clientset) Discovery() discovery.DiscoveryInterfaces { return c.client().Discovery() }

// IsWatchListSemanticsUnSupported is false: a watch can begin with a list. Where a reactor answers lists or watches, the server says
// that it cannot, and reflectors list.
func (c *Clientset) IsWatchListSemanticsUnSupported() bool { return false }

// kinds are those of all resources.
var kinds = sync.OnceValue(func() fakes.Kinds { return fakes.KindsOf(scheme.Scheme) })

// client is the real clientset behind this one.
func (c *Clientset) client() *kubernetes.Clientset {
	c.once.Do(func() {
		transport := &fakes.Transport{Fake: &c.Fake, Codec: fakes.Typed{
			Kinds: kinds(), Scheme: scheme.Scheme, Decoder: scheme.Codecs.UniversalDeserializer()}}
		config := &rest.Config{Host: "http://fake", QPS: -1}
		if c.tracker != nil {
			config = c.tracker.Server().RESTConfig()
			transport.Server = config.Transport
		}
		config.Transport = transport
		c.real = kubernetes.NewForConfigOrDie(config)
	})
	return c.real
}

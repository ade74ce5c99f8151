package fake

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest"
	"vedette.dev/dynamic"
	"vedette.dev/internal/fakes"
	"vedette.dev/internal/tracker"
	"vedette.dev/metadata"
	"vedette.dev/testing"
)

var (
	_ metadata.Interface = (*FakeMetadataClient)(nil)
	_ testing.FakeClient = (*FakeMetadataClient)(nil)
)

// FakeMetadataClient is a metadata client for tests.
type FakeMetadataClient struct {
	testing.Fake
	tracker *tracker.Tracker
	codec   codec
	real    metadata.Interface
	writer  dynamic.Interface // for CreateFake and UpdateFake
}

// NewTestScheme returns a scheme.
func NewTestScheme() *runtime.Scheme { return runtime.NewScheme() }

// NewSimpleMetadataClient returns a client whose server has these objects. The scheme says of what kinds they are, if they do not do
// so themselves. It panics if an object has no name, or is of no kind.
func NewSimpleMetadataClient(scheme *runtime.Scheme, objects ...runtime.Object) *FakeMetadataClient {
	kinds := fakes.KindsOf(scheme)
	c := &FakeMetadataClient{codec: codec{Kinds: kinds, scheme: scheme}}
	c.tracker = fakes.Serve(&c.Fake, apitest.Config{Untyped: true, Kinds: kinds.Loose()}, metadataOnly{scheme}, objects)
	config := c.tracker.Server().RESTConfig()
	config.Transport = &fakes.Transport{Fake: &c.Fake, Server: config.Transport, Codec: c.codec, Before: c.serve}
	c.real = metadata.NewForConfigOrDie(config)
	c.writer = dynamic.NewForConfigOrDie(config)
	return c
}

// Resource chooses a resource. What it returns is a [MetadataClient] and a [metadata.Requester], too.
func (c *FakeMetadataClient) Resource(gvr schema.GroupVersionResource) metadata.Getter {
	return &resource{ResourceInterface: c.real.Resource(gvr), client: c, gvr: gvr}
}

// Tracker is the way to the objects that leaves no trace among the actions and meets no reactor.
func (c *FakeMetadataClient) Tracker() testing.ObjectTracker { return c.tracker }

// IsWatchListSemanticsUnSupported is false: a watch can begin with a list. Where a reactor answers lists or watches, the server says
// that it cannot, and reflectors list.
func (c *FakeMetadataClient) IsWatchListSemanticsUnSupported() bool { return false }

// serve makes sure that what is about to be created has a place.
func (c *FakeMetadataClient) serve(gvr schema.GroupVersionResource, obj runtime.Object) {
	if server := c.tracker.Server(); !server.Serves(gvr) {
		kind := obj.GetObjectKind().GroupVersionKind()
		server.Serve(apitest.Kind{GroupVersionKind: gvr.GroupVersion().WithKind(kind.Kind), Plural: gvr.Resource})
	}
}

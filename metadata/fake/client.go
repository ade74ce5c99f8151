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

// NewSimpleMetadataClient returns a client whose server has these objects. The scheme provides the kinds of objects
// that have none set. It panics if an object has no kind.
func NewSimpleMetadataClient(scheme *runtime.Scheme, objects ...runtime.Object) *FakeMetadataClient {
	kinds := fakes.KindsOf(scheme)
	c := &FakeMetadataClient{codec: codec{Kinds: kinds, scheme: scheme}}
	c.tracker = fakes.Serve(&c.Fake, apitest.Config{Untyped: true, Unversioned: true, Kinds: kinds.Schemaless()}, metadataOnly{scheme}, objects)
	config := c.tracker.Server().RESTConfig()
	config.Transport = &fakes.Transport{Fake: &c.Fake, Server: config.Transport, Codec: c.codec, Before: c.serve, Usable: c.tracker.Usable}
	c.real = metadata.NewForConfigOrDie(config)
	c.writer = dynamic.NewForConfigOrDie(config)
	return c
}

// Resource returns the client of a resource. It implements [MetadataClient] and [metadata.Requester], too.
func (c *FakeMetadataClient) Resource(gvr schema.GroupVersionResource) metadata.Getter {
	return &resource{ResourceInterface: c.real.Resource(gvr), client: c, gvr: gvr}
}

// Tracker returns the tracker of the objects, which records no actions and calls no reactors.
func (c *FakeMetadataClient) Tracker() testing.ObjectTracker { return c.tracker }

// IsWatchListSemanticsUnSupported returns false: streaming lists are supported. If a reactor handles lists or watches,
// the server rejects streaming lists, and reflectors list.
func (c *FakeMetadataClient) IsWatchListSemanticsUnSupported() bool { return false }

// serve makes the server serve the kind of an object that is about to be created.
func (c *FakeMetadataClient) serve(gvr schema.GroupVersionResource, obj runtime.Object) {
	if server := c.tracker.Server(); !server.Serves(gvr) {
		kind := obj.GetObjectKind().GroupVersionKind()
		server.Serve(apitest.Kind{GroupVersionKind: gvr.GroupVersion().WithKind(kind.Kind), Plural: gvr.Resource})
	}
}

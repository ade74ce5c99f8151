package fake

import (
	"fmt"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest"
	"vedette.dev/dynamic"
	"vedette.dev/internal/fakes"
	"vedette.dev/internal/tracker"
	"vedette.dev/testing"
)

var (
	_ dynamic.Interface  = (*FakeDynamicClient)(nil)
	_ testing.FakeClient = (*FakeDynamicClient)(nil)
)

// FakeDynamicClient is a dynamic client for tests.
type FakeDynamicClient struct {
	testing.Fake
	tracker *tracker.Tracker
	real    *dynamic.DynamicClient
}

// NewSimpleDynamicClient returns a client whose server has these objects. The scheme says of what kinds typed objects are. It panics
// if an object has no name, or is of no kind.
func NewSimpleDynamicClient(scheme *runtime.Scheme, objects ...runtime.Object) *FakeDynamicClient {
	return NewSimpleDynamicClientWithCustomListKinds(scheme, nil, objects...)
}

// NewSimpleDynamicClientWithCustomListKinds is NewSimpleDynamicClient, and is told the kinds of lists of some resources, which end
// in "List".
func NewSimpleDynamicClientWithCustomListKinds(scheme *runtime.Scheme, gvrToListKind map[schema.GroupVersionResource]string, objects ...runtime.Object) *FakeDynamicClient {
	kinds := fakes.KindsOf(scheme)
	for gvr, listKind := range gvrToListKind {
		kind, ok := strings.CutSuffix(listKind, "List")
		if !ok {
			panic(fmt.Sprintf("fake: the kind of a list of %s must end in List, and is %q", gvr.Resource, listKind))
		}
		maps.DeleteFunc(kinds, func(_ schema.GroupVersionResource, k schema.GroupVersionKind) bool { // it was a guess
			return k == gvr.GroupVersion().WithKind(kind)
		})
		kinds[gvr] = gvr.GroupVersion().WithKind(kind)
	}
	c := &FakeDynamicClient{}
	c.tracker = fakes.Serve(&c.Fake, apitest.Config{Untyped: true, Kinds: kinds.Loose()}, onlyNames{scheme}, objects)
	config := c.tracker.Server().RESTConfig()
	config.Transport = &fakes.Transport{Fake: &c.Fake, Server: config.Transport, Before: c.serve,
		Codec: fakes.Untyped{Kinds: kinds, Scheme: scheme}}
	c.real = dynamic.NewForConfigOrDie(config)
	return c
}

// Resource chooses a resource.
func (c *FakeDynamicClient) Resource(resource schema.GroupVersionResource) dynamic.NamespaceableResourceInterface {
	return c.real.Resource(resource)
}

// Tracker is the way to the objects that leaves no trace among the actions and meets no reactor.
func (c *FakeDynamicClient) Tracker() testing.ObjectTracker { return c.tracker }

// IsWatchListSemanticsUnSupported is false: a watch can begin with a list. Where a reactor answers lists or watches, the server says
// that it cannot, and reflectors list.
func (c *FakeDynamicClient) IsWatchListSemanticsUnSupported() bool { return false }

// serve makes sure that what is about to be created has a place.
func (c *FakeDynamicClient) serve(gvr schema.GroupVersionResource, obj runtime.Object) {
	if server := c.tracker.Server(); !server.Serves(gvr) {
		kind := obj.GetObjectKind().GroupVersionKind()
		server.Serve(apitest.Kind{GroupVersionKind: gvr.GroupVersion().WithKind(kind.Kind), Plural: gvr.Resource})
	}
}

// onlyNames lets a scheme say of what kinds objects are. What comes back is unstructured.
type onlyNames struct{ *runtime.Scheme }

// New implements runtime.ObjectCreater.
func (onlyNames) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	return fakes.Untyped{}.New(kind), nil
}

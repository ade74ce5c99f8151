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

// NewSimpleDynamicClient returns a client whose server has these objects. The scheme has the kinds of typed objects. It panics if an
// object has no kind.
func NewSimpleDynamicClient(scheme *runtime.Scheme, objects ...runtime.Object) *FakeDynamicClient {
	return NewSimpleDynamicClientWithCustomListKinds(scheme, nil, objects...)
}

// NewSimpleDynamicClientWithCustomListKinds is NewSimpleDynamicClient with the list kinds of some resources, which must end in
// "List".
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
	c.tracker = fakes.Serve(&c.Fake, apitest.Config{Untyped: true, Unversioned: true, Kinds: kinds.Schemaless()}, onlyNames{scheme}, objects)
	config := c.tracker.Server().RESTConfig()
	config.Transport = &fakes.Transport{Fake: &c.Fake, Server: config.Transport, Before: c.serve, Usable: c.tracker.Usable,
		Codec: fakes.Untyped{Kinds: kinds, Scheme: scheme}}
	c.real = dynamic.NewForConfigOrDie(config)
	return c
}

// Resource returns the client of a resource.
func (c *FakeDynamicClient) Resource(resource schema.GroupVersionResource) dynamic.NamespaceableResourceInterface {
	return c.real.Resource(resource)
}

// Tracker returns the tracker of the objects. Its methods record no actions and call no reactors.
func (c *FakeDynamicClient) Tracker() testing.ObjectTracker { return c.tracker }

// IsWatchListSemanticsUnSupported returns false: a watch can begin with a list. If a reactor handles lists or watches, the server
// rejects such watches, and reflectors list.
func (c *FakeDynamicClient) IsWatchListSemanticsUnSupported() bool { return false }

// serve adds the resource of an object that is about to be created.
func (c *FakeDynamicClient) serve(gvr schema.GroupVersionResource, obj runtime.Object) {
	if server := c.tracker.Server(); !server.Serves(gvr) {
		kind := obj.GetObjectKind().GroupVersionKind()
		server.Serve(apitest.Kind{GroupVersionKind: gvr.GroupVersion().WithKind(kind.Kind), Plural: gvr.Resource})
	}
}

// onlyNames uses a scheme for the kinds of objects only. Decoded objects are unstructured.
type onlyNames struct{ *runtime.Scheme }

// New implements runtime.ObjectCreater.
func (onlyNames) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	return fakes.Untyped{}.New(kind), nil
}

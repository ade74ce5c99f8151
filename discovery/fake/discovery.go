// Package fake has discovery for tests.
//
// A [FakeDiscovery] answers with the Resources of a testing.Fake. Fake clientsets of client-gen have one; so does the
// clientset of kubernetes/fake, where what Resources do not say comes from its server.
//
// Each request is recorded as an action, "get" of "group", "resource" or "version", and the error of a reactor for it
// is the result.
package fake

import (
	"context"
	"fmt"
	"net/http"
	goruntime "runtime"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"vedette.dev/discovery"
	"vedette.dev/rest"
	"vedette.dev/testing"
)

var _ discovery.DiscoveryInterfaces = (*FakeDiscovery)(nil)

// FakeDiscovery is discovery that answers with the Resources of the Fake.
type FakeDiscovery struct {
	*testing.Fake
	// FakedServerVersion, if set, is the version of the server.
	FakedServerVersion *version.Info

	server discovery.DiscoveryInterfaces // may be nil
}

// New returns discovery that calls the reactors of fake, and if they return no error asks the server, unless the answer
// is in FakedServerVersion.
func New(fake *testing.Fake, server discovery.DiscoveryInterfaces) *FakeDiscovery {
	return &FakeDiscovery{Fake: fake, server: server}
}

// invoke records the action, and returns the error of a reactor.
func (c *FakeDiscovery) invoke(resource string) error {
	_, err := c.Invokes(testing.ActionImpl{Verb: "get", Resource: schema.GroupVersionResource{Resource: resource}}, nil)
	return err
}

func (c *FakeDiscovery) resources() []*metav1.APIResourceList {
	c.RLock()
	defer c.RUnlock()
	return slices.Clone(c.Resources)
}

// ServerResourcesForGroupVersionWithContext returns the resources of one group version.
func (c *FakeDiscovery) ServerResourcesForGroupVersionWithContext(ctx context.Context, groupVersion string) (*metav1.APIResourceList, error) {
	if err := c.invoke("resource"); err != nil {
		return nil, err
	}
	if c.server != nil {
		return c.server.ServerResourcesForGroupVersionWithContext(ctx, groupVersion)
	}
	for _, list := range c.resources() {
		if list.GroupVersion == groupVersion {
			return list, nil
		}
	}
	return nil, &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound,
		Message: fmt.Sprintf("the fake has no resources of %q", groupVersion),
	}}
}

// ServerGroupsWithContext returns the groups, in the order of the Resources. The first version of a group is the
// preferred one.
func (c *FakeDiscovery) ServerGroupsWithContext(ctx context.Context) (*metav1.APIGroupList, error) {
	if err := c.invoke("group"); err != nil {
		return nil, err
	}
	if c.server != nil {
		return c.server.ServerGroupsWithContext(ctx)
	}
	groups := &metav1.APIGroupList{}
	for _, list := range c.resources() {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		version := metav1.GroupVersionForDiscovery{GroupVersion: list.GroupVersion, Version: gv.Version}
		at := slices.IndexFunc(groups.Groups, func(g metav1.APIGroup) bool { return g.Name == gv.Group })
		if at < 0 {
			at = len(groups.Groups)
			groups.Groups = append(groups.Groups, metav1.APIGroup{Name: gv.Group, PreferredVersion: version})
		}
		groups.Groups[at].Versions = append(groups.Groups[at].Versions, version)
	}
	return groups, nil
}

// ServerGroupsAndResourcesWithContext returns everything. If a reactor returns an error for resources, the result has the
// groups.
func (c *FakeDiscovery) ServerGroupsAndResourcesWithContext(ctx context.Context) ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	list, err := c.ServerGroupsWithContext(ctx)
	if err != nil {
		return nil, nil, err
	}
	groups := make([]*metav1.APIGroup, len(list.Groups))
	for i := range list.Groups {
		groups[i] = &list.Groups[i]
	}
	if err := c.invoke("resource"); err != nil {
		return groups, c.resources(), err
	}
	if c.server != nil {
		return c.server.ServerGroupsAndResourcesWithContext(ctx)
	}
	return groups, c.resources(), nil
}

// ServerPreferredResourcesWithContext returns each resource in the preferred version of its group.
func (c *FakeDiscovery) ServerPreferredResourcesWithContext(ctx context.Context) ([]*metav1.APIResourceList, error) {
	if c.server != nil {
		return c.server.ServerPreferredResourcesWithContext(ctx)
	}
	return discovery.ServerPreferredResourcesWithContext(ctx, c)
}

// ServerPreferredNamespacedResourcesWithContext is like ServerPreferredResourcesWithContext, for namespaced resources.
func (c *FakeDiscovery) ServerPreferredNamespacedResourcesWithContext(ctx context.Context) ([]*metav1.APIResourceList, error) {
	if c.server != nil {
		return c.server.ServerPreferredNamespacedResourcesWithContext(ctx)
	}
	return discovery.ServerPreferredNamespacedResourcesWithContext(ctx, c)
}

// ServerVersionWithContext returns FakedServerVersion, if it is set, the version of the server, if there is one, or that
// of the Kubernetes release of the types.
func (c *FakeDiscovery) ServerVersionWithContext(ctx context.Context) (*version.Info, error) {
	if err := c.invoke("version"); err != nil {
		return nil, err
	}
	switch {
	case c.FakedServerVersion != nil:
		return c.FakedServerVersion, nil
	case c.server != nil:
		return c.server.ServerVersionWithContext(ctx)
	}
	return &version.Info{Major: "1", Minor: "37", GitVersion: "v1.37.0",
		GoVersion: goruntime.Version(), Compiler: goruntime.Compiler, Platform: goruntime.GOOS + "/" + goruntime.GOARCH}, nil
}

// RESTClient returns the client of the server, or nil if there is none.
func (c *FakeDiscovery) RESTClient() rest.Interface {
	if c.server != nil {
		return c.server.RESTClient()
	}
	return nil
}

// WithLegacyWithContext returns c.
func (c *FakeDiscovery) WithLegacyWithContext(context.Context) discovery.DiscoveryInterfaceWithContext {
	return c
}

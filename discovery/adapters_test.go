package discovery_test

import (
	"errors"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"vedette.dev/discovery"
	"vedette.dev/rest"
)

// plain is an implementation as programs have them that are older than the contexts.
type plain struct{ invalidated int }

var errPlain = errors.New("plain")

func (*plain) RESTClient() rest.Interface { return nil }
func (*plain) ServerGroups() (*metav1.APIGroupList, error) {
	return &metav1.APIGroupList{Groups: []metav1.APIGroup{{Name: "a", Versions: []metav1.GroupVersionForDiscovery{{GroupVersion: "a/v1", Version: "v1"}}}}}, nil
}
func (*plain) ServerResourcesForGroupVersion(gv string) (*metav1.APIResourceList, error) {
	return &metav1.APIResourceList{GroupVersion: gv, APIResources: []metav1.APIResource{{Name: "things", Namespaced: true}}}, nil
}
func (*plain) ServerGroupsAndResources() ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	return nil, nil, errPlain
}
func (*plain) ServerPreferredResources() ([]*metav1.APIResourceList, error) { return nil, errPlain }
func (*plain) ServerPreferredNamespacedResources() ([]*metav1.APIResourceList, error) {
	return nil, errPlain
}
func (*plain) ServerVersion() (*version.Info, error)      { return &version.Info{Major: "1"}, nil }
func (p *plain) WithLegacy() discovery.DiscoveryInterface { return p }
func (*plain) Fresh() bool                                { return true }
func (p *plain) Invalidate()                              { p.invalidated++ }

// aggregated also tells resources with the groups.
type aggregated struct{ plain }

func (a *aggregated) GroupsAndMaybeResources() (*metav1.APIGroupList, map[schema.GroupVersion]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	groups, err := a.ServerGroups()
	gv := schema.GroupVersion{Group: "a", Version: "v1"}
	return groups, map[schema.GroupVersion]*metav1.APIResourceList{gv: {GroupVersion: "a/v1", APIResources: []metav1.APIResource{{Name: "aggregated"}}}}, nil, err
}

func TestAdapters(t *testing.T) {
	ctx := t.Context()
	p := &plain{}
	cached := discovery.ToCachedDiscoveryInterfaceWithContext(p)
	cached.InvalidateWithContext(ctx)
	if p.invalidated != 1 || !cached.FreshWithContext(ctx) || cached.RESTClient() != nil {
		t.Error("the cached adapter does not reach the cache")
	}
	if _, _, err := cached.ServerGroupsAndResourcesWithContext(ctx); !errors.Is(err, errPlain) {
		t.Error(err)
	}
	if _, err := discovery.ToServerResourcesInterfaceWithContext(p).ServerPreferredResourcesWithContext(ctx); !errors.Is(err, errPlain) {
		t.Error(err)
	}
	if _, err := cached.ServerPreferredNamespacedResourcesWithContext(ctx); !errors.Is(err, errPlain) {
		t.Error(err)
	}
	if info, err := discovery.ToServerVersionInterfaceWithContext(p).ServerVersionWithContext(ctx); err != nil || info.Major != "1" {
		t.Error(info, err)
	}
	if groups, err := discovery.ToServerGroupsInterfaceWithContext(p).ServerGroupsWithContext(ctx); err != nil || len(groups.Groups) != 1 {
		t.Error(groups, err)
	}
	if groups, err := cached.WithLegacyWithContext(ctx).ServerGroupsWithContext(ctx); err != nil || len(groups.Groups) != 1 {
		t.Error(groups, err)
	}
	client := &discovery.DiscoveryClient{}
	if discovery.ToDiscoveryInterfaceWithContext(client) != discovery.DiscoveryInterfaceWithContext(client) {
		t.Error("a client with contexts was wrapped")
	}
}

func TestAdaptersOfNil(t *testing.T) {
	if discovery.ToDiscoveryInterfaceWithContext(nil) != nil || discovery.ToAggregatedDiscoveryInterfaceWithContext(nil) != nil ||
		discovery.ToCachedDiscoveryInterfaceWithContext(nil) != nil || discovery.ToServerGroupsInterfaceWithContext(nil) != nil ||
		discovery.ToServerResourcesInterfaceWithContext(nil) != nil || discovery.ToServerVersionInterfaceWithContext(nil) != nil {
		t.Error("nil became something")
	}
}

// Everything can be read through any implementation, and aggregated discovery is used where there is some.
func TestEverythingThroughOthers(t *testing.T) {
	for want, d := range map[string]discovery.DiscoveryInterface{"a/v1: things": &plain{}, "a/v1: aggregated": &aggregated{}} {
		groups, lists, err := discovery.ServerGroupsAndResources(d)
		if err != nil || len(groups) != 1 || !slices.Equal(names(lists), []string{want}) {
			t.Errorf("%v, %q, %v; want %q", groups, names(lists), err, want)
		}
		if lists, err = discovery.ServerPreferredResources(d); err != nil || !slices.Equal(names(lists), []string{want}) {
			t.Errorf("%q, %v; want %q", names(lists), err, want)
		}
	}
	if lists, err := discovery.ServerPreferredNamespacedResources(&aggregated{}); err != nil || len(lists) != 0 {
		t.Errorf("%q, %v; want none", names(lists), err)
	}
	if d := discovery.ToAggregatedDiscoveryInterfaceWithContext(&aggregated{}); d == nil {
		t.Error("no adapter")
	}
}

func TestHelpers(t *testing.T) {
	client := start(t, recorded(t, true))
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	for gvr, want := range map[schema.GroupVersionResource]bool{pods: true, {Version: "v1", Resource: "none"}: false, {Group: "none", Version: "v1", Resource: "pods"}: false} {
		if got, err := discovery.IsResourceEnabled(client, gvr); err != nil || got != want {
			t.Errorf("%v enabled: %t, %v; want %t", gvr, got, err, want)
		}
	}
	if err := discovery.ServerSupportsVersion(client, schema.GroupVersion{Group: "apps", Version: "v1"}); err != nil {
		t.Error(err)
	}
	if err := discovery.ServerSupportsVersion(client, schema.GroupVersion{Group: "apps", Version: "v9"}); err == nil {
		t.Error("apps/v9 is supported")
	}
	_, lists, _ := client.ServerGroupsAndResources()
	set, err := discovery.GroupVersionResources(lists)
	if _, ok := set[pods]; err != nil || !ok {
		t.Errorf("%v, %v", set, err)
	}
	if _, err := discovery.GroupVersionResources([]*metav1.APIResourceList{{GroupVersion: "a/b/c"}}); err == nil {
		t.Error("a/b/c is a group version")
	}
	watchable := discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list", "watch"}}, lists)
	if want := []string{"v1: namespaces pods", "apps/v1: deployments"}; !slices.Equal(names(watchable), want) {
		t.Errorf("%q can be watched, want %q", names(watchable), want)
	}
	none := discovery.FilteredBy(discovery.ResourcePredicateFunc(func(string, *metav1.APIResource) bool { return false }), lists)
	if none == nil || len(none) != 0 {
		t.Errorf("%v, want an empty list", none)
	}
}

func TestContentTypeIsGVK(t *testing.T) {
	gvk := schema.GroupVersionKind{Group: "apidiscovery.k8s.io", Version: "v2", Kind: "APIGroupDiscoveryList"}
	tests := map[string]bool{
		"application/json; g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList":               true,
		"application/json; as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io;charset=utf-8": true,
		"application/json; g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList":          false,
		"application/json": false,
		"text/plain; g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList": false,
	}
	for contentType, want := range tests {
		if got, err := discovery.ContentTypeIsGVK(contentType, gvk); err != nil || got != want {
			t.Errorf("%q: %t, %v; want %t", contentType, got, err, want)
		}
	}
	if _, err := discovery.ContentTypeIsGVK("; ;", gvk); err == nil {
		t.Error("a malformed content type is not an error")
	}
}

func TestErrGroupDiscoveryFailed(t *testing.T) {
	err := error(&discovery.ErrGroupDiscoveryFailed{Groups: map[schema.GroupVersion]error{{Group: "b", Version: "v1"}: errPlain, {Group: "a", Version: "v1"}: errPlain}})
	if want := "unable to retrieve the complete list of server APIs: a/v1: plain, b/v1: plain"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	if !errors.Is(err, &discovery.ErrGroupDiscoveryFailed{}) || !discovery.IsGroupDiscoveryFailedError(errors.Join(errPlain, err)) {
		t.Error("it is not recognised")
	}
	if discovery.IsGroupDiscoveryFailedError(errPlain) || discovery.IsGroupDiscoveryFailedError(nil) {
		t.Error("another error is taken for it")
	}
}

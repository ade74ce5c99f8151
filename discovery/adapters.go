package discovery

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"vedette.dev/rest"
)

// These functions add the methods with contexts to an implementation without them. One that has them already is
// returned unchanged, and nil stays nil. An adapted method cannot be cancelled.

// ToDiscoveryInterfaceWithContext adapts a DiscoveryInterface. If it is an AggregatedDiscoveryInterface, so is the result.
func ToDiscoveryInterfaceWithContext(i DiscoveryInterface) DiscoveryInterfaceWithContext {
	switch i := i.(type) {
	case nil:
		return nil
	case DiscoveryInterfaceWithContext:
		return i
	case AggregatedDiscoveryInterface:
		return aggregatedAdapter{adapt(i), i}
	default:
		return adapt(i)
	}
}

// ToAggregatedDiscoveryInterfaceWithContext adapts an AggregatedDiscoveryInterface.
func ToAggregatedDiscoveryInterfaceWithContext(i AggregatedDiscoveryInterface) AggregatedDiscoveryInterfaceWithContext {
	switch i := i.(type) {
	case nil:
		return nil
	case AggregatedDiscoveryInterfaceWithContext:
		return i
	default:
		return aggregatedAdapter{ToDiscoveryInterfaceWithContext(i), i}
	}
}

// ToCachedDiscoveryInterfaceWithContext adapts a CachedDiscoveryInterface.
func ToCachedDiscoveryInterfaceWithContext(i CachedDiscoveryInterface) CachedDiscoveryInterfaceWithContext {
	switch i := i.(type) {
	case nil:
		return nil
	case CachedDiscoveryInterfaceWithContext:
		return i
	default:
		return cachedAdapter{ToDiscoveryInterfaceWithContext(i), i}
	}
}

// ToServerGroupsInterfaceWithContext adapts a ServerGroupsInterface.
func ToServerGroupsInterfaceWithContext(i ServerGroupsInterface) ServerGroupsInterfaceWithContext {
	switch i := i.(type) {
	case nil:
		return nil
	case ServerGroupsInterfaceWithContext:
		return i
	default:
		return groupsAdapter{i}
	}
}

// ToServerResourcesInterfaceWithContext adapts a ServerResourcesInterface.
func ToServerResourcesInterfaceWithContext(i ServerResourcesInterface) ServerResourcesInterfaceWithContext {
	switch i := i.(type) {
	case nil:
		return nil
	case ServerResourcesInterfaceWithContext:
		return i
	default:
		return resourcesAdapter{i}
	}
}

// ToServerVersionInterfaceWithContext adapts a ServerVersionInterface.
func ToServerVersionInterfaceWithContext(i ServerVersionInterface) ServerVersionInterfaceWithContext {
	switch i := i.(type) {
	case nil:
		return nil
	case ServerVersionInterfaceWithContext:
		return i
	default:
		return versionAdapter{i}
	}
}

func adapt(i DiscoveryInterface) discoveryAdapter {
	return discoveryAdapter{groupsAdapter{i}, resourcesAdapter{i}, versionAdapter{i}, i}
}

type discoveryAdapter struct {
	groupsAdapter
	resourcesAdapter
	versionAdapter
	i DiscoveryInterface
}

func (a discoveryAdapter) RESTClient() rest.Interface { return a.i.RESTClient() }

func (a discoveryAdapter) WithLegacyWithContext(context.Context) DiscoveryInterfaceWithContext {
	return ToDiscoveryInterfaceWithContext(a.i.WithLegacy())
}

type aggregatedAdapter struct {
	DiscoveryInterfaceWithContext
	i AggregatedDiscoveryInterface
}

func (a aggregatedAdapter) GroupsAndMaybeResourcesWithContext(context.Context) (*metav1.APIGroupList, map[schema.GroupVersion]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	return a.i.GroupsAndMaybeResources()
}

type cachedAdapter struct {
	DiscoveryInterfaceWithContext
	i CachedDiscoveryInterface
}

func (a cachedAdapter) FreshWithContext(context.Context) bool { return a.i.Fresh() }
func (a cachedAdapter) InvalidateWithContext(context.Context) { a.i.Invalidate() }

type groupsAdapter struct{ i ServerGroupsInterface }

func (a groupsAdapter) ServerGroupsWithContext(context.Context) (*metav1.APIGroupList, error) {
	return a.i.ServerGroups()
}

type resourcesAdapter struct{ i ServerResourcesInterface }

func (a resourcesAdapter) ServerResourcesForGroupVersionWithContext(_ context.Context, groupVersion string) (*metav1.APIResourceList, error) {
	return a.i.ServerResourcesForGroupVersion(groupVersion)
}

func (a resourcesAdapter) ServerGroupsAndResourcesWithContext(context.Context) ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	return a.i.ServerGroupsAndResources()
}

func (a resourcesAdapter) ServerPreferredResourcesWithContext(context.Context) ([]*metav1.APIResourceList, error) {
	return a.i.ServerPreferredResources()
}

func (a resourcesAdapter) ServerPreferredNamespacedResourcesWithContext(context.Context) ([]*metav1.APIResourceList, error) {
	return a.i.ServerPreferredNamespacedResources()
}

type versionAdapter struct{ i ServerVersionInterface }

func (a versionAdapter) ServerVersionWithContext(context.Context) (*version.Info, error) {
	return a.i.ServerVersion()
}

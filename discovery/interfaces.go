package discovery

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"vedette.dev/rest"
)

// DiscoveryInterface is [DiscoveryInterfaceWithContext] without contexts.
type DiscoveryInterface interface {
	RESTClient() rest.Interface
	ServerGroupsInterface
	ServerResourcesInterface
	ServerVersionInterface
	// WithLegacy returns a client that does not use aggregated discovery, or the same client if it does not distinguish
	// them.
	WithLegacy() DiscoveryInterface
}

// DiscoveryInterfaces is both forms of discovery.
type DiscoveryInterfaces interface {
	DiscoveryInterface
	DiscoveryInterfaceWithContext
}

// AggregatedDiscoveryInterface is [AggregatedDiscoveryInterfaceWithContext] without contexts.
type AggregatedDiscoveryInterface interface {
	DiscoveryInterface
	// GroupsAndMaybeResources is GroupsAndMaybeResourcesWithContext without a context.
	GroupsAndMaybeResources() (*metav1.APIGroupList, map[schema.GroupVersion]*metav1.APIResourceList, map[schema.GroupVersion]error, error)
}

// CachedDiscoveryInterface is [CachedDiscoveryInterfaceWithContext] without contexts.
type CachedDiscoveryInterface interface {
	DiscoveryInterface
	// Fresh reports whether the cache was read after it was last invalidated.
	Fresh() bool
	// Invalidate clears the cache.
	Invalidate()
}

// ServerGroupsInterface is [ServerGroupsInterfaceWithContext] without contexts.
type ServerGroupsInterface interface {
	// ServerGroups returns the groups of the server, with their versions.
	ServerGroups() (*metav1.APIGroupList, error)
}

// ServerResourcesInterface is [ServerResourcesInterfaceWithContext] without contexts.
type ServerResourcesInterface interface {
	// ServerResourcesForGroupVersion returns the resources of one group version.
	ServerResourcesForGroupVersion(groupVersion string) (*metav1.APIResourceList, error)
	// ServerGroupsAndResources returns everything. With an *ErrGroupDiscoveryFailed, it returns what could be read.
	ServerGroupsAndResources() ([]*metav1.APIGroup, []*metav1.APIResourceList, error)
	// ServerPreferredResources returns each resource in the version that the server prefers. With an
	// *ErrGroupDiscoveryFailed, it returns what could be read.
	ServerPreferredResources() ([]*metav1.APIResourceList, error)
	// ServerPreferredNamespacedResources is like ServerPreferredResources, for namespaced resources.
	ServerPreferredNamespacedResources() ([]*metav1.APIResourceList, error)
}

// ServerVersionInterface is [ServerVersionInterfaceWithContext] without contexts.
type ServerVersionInterface interface {
	// ServerVersion returns the version of the server.
	ServerVersion() (*version.Info, error)
}

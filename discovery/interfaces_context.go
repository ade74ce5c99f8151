package discovery

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"vedette.dev/rest"
)

// DiscoveryInterfaceWithContext reads what a server serves.
type DiscoveryInterfaceWithContext interface {
	RESTClient() rest.Interface
	ServerGroupsInterfaceWithContext
	ServerResourcesInterfaceWithContext
	ServerVersionInterfaceWithContext
	// WithLegacyWithContext returns a client that does not use aggregated discovery, or the same client if it does not
	// distinguish them.
	WithLegacyWithContext(ctx context.Context) DiscoveryInterfaceWithContext
}

// AggregatedDiscoveryInterfaceWithContext is discovery that may get groups and resources in one response.
type AggregatedDiscoveryInterfaceWithContext interface {
	DiscoveryInterfaceWithContext
	// GroupsAndMaybeResourcesWithContext returns the groups of the server. If the response has the resources too, they
	// are in the first map, and group versions that failed are in the second. Otherwise the first map is nil.
	GroupsAndMaybeResourcesWithContext(ctx context.Context) (*metav1.APIGroupList, map[schema.GroupVersion]*metav1.APIResourceList, map[schema.GroupVersion]error, error)
}

// CachedDiscoveryInterfaceWithContext is discovery with a cache. A miss is not read again before the cache is
// invalidated.
type CachedDiscoveryInterfaceWithContext interface {
	DiscoveryInterfaceWithContext
	// FreshWithContext reports whether the cache was read after it was last invalidated. If not, a caller that did not
	// find something may invalidate the cache and try again.
	FreshWithContext(ctx context.Context) bool
	// InvalidateWithContext clears the cache: nothing that was read before is used afterwards.
	InvalidateWithContext(ctx context.Context)
}

// ServerGroupsInterfaceWithContext reads the groups.
type ServerGroupsInterfaceWithContext interface {
	// ServerGroupsWithContext returns the groups of the server, with their versions.
	ServerGroupsWithContext(ctx context.Context) (*metav1.APIGroupList, error)
}

// ServerResourcesInterfaceWithContext reads the resources.
type ServerResourcesInterfaceWithContext interface {
	// ServerResourcesForGroupVersionWithContext returns the resources of one group version.
	ServerResourcesForGroupVersionWithContext(ctx context.Context, groupVersion string) (*metav1.APIResourceList, error)
	// ServerGroupsAndResourcesWithContext returns everything. With an *ErrGroupDiscoveryFailed, it returns what could
	// be read.
	ServerGroupsAndResourcesWithContext(ctx context.Context) ([]*metav1.APIGroup, []*metav1.APIResourceList, error)
	// ServerPreferredResourcesWithContext returns each resource in the version that the server prefers. With an
	// *ErrGroupDiscoveryFailed, it returns what could be read.
	ServerPreferredResourcesWithContext(ctx context.Context) ([]*metav1.APIResourceList, error)
	// ServerPreferredNamespacedResourcesWithContext is like ServerPreferredResourcesWithContext, for namespaced
	// resources.
	ServerPreferredNamespacedResourcesWithContext(ctx context.Context) ([]*metav1.APIResourceList, error)
}

// ServerVersionInterfaceWithContext reads the version.
type ServerVersionInterfaceWithContext interface {
	// ServerVersionWithContext returns the version of the server.
	ServerVersionWithContext(ctx context.Context) (*version.Info, error)
}

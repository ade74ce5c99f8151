package disk

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"

	"vedette.dev/discovery"
)

// ServerGroups is ServerGroupsWithContext without a context.
func (d *CachedDiscoveryClient) ServerGroups() (*metav1.APIGroupList, error) {
	return d.ServerGroupsWithContext(context.Background())
}

// ServerResourcesForGroupVersion is ServerResourcesForGroupVersionWithContext without a context.
func (d *CachedDiscoveryClient) ServerResourcesForGroupVersion(groupVersion string) (*metav1.APIResourceList, error) {
	return d.ServerResourcesForGroupVersionWithContext(context.Background(), groupVersion)
}

// ServerGroupsAndResources is ServerGroupsAndResourcesWithContext without a context.
func (d *CachedDiscoveryClient) ServerGroupsAndResources() ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	return d.ServerGroupsAndResourcesWithContext(context.Background())
}

// ServerPreferredResources is ServerPreferredResourcesWithContext without a context.
func (d *CachedDiscoveryClient) ServerPreferredResources() ([]*metav1.APIResourceList, error) {
	return d.ServerPreferredResourcesWithContext(context.Background())
}

// ServerPreferredNamespacedResources is ServerPreferredNamespacedResourcesWithContext without a context.
func (d *CachedDiscoveryClient) ServerPreferredNamespacedResources() ([]*metav1.APIResourceList, error) {
	return d.ServerPreferredNamespacedResourcesWithContext(context.Background())
}

// ServerVersion is ServerVersionWithContext without a context.
func (d *CachedDiscoveryClient) ServerVersion() (*version.Info, error) {
	return d.ServerVersionWithContext(context.Background())
}

// Fresh is FreshWithContext without a context.
func (d *CachedDiscoveryClient) Fresh() bool { return d.FreshWithContext(context.Background()) }

// Invalidate is InvalidateWithContext without a context.
func (d *CachedDiscoveryClient) Invalidate() { d.InvalidateWithContext(context.Background()) }

// WithLegacy returns d.
func (d *CachedDiscoveryClient) WithLegacy() discovery.DiscoveryInterface { return d }

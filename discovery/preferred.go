package discovery

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ServerPreferredResourcesWithContext returns each resource in one version: the preferred version of its group, or else
// the first that has it. Subresources are omitted. If groups fail, it behaves like ServerGroupsAndResources.
func (d *DiscoveryClient) ServerPreferredResourcesWithContext(ctx context.Context) (lists []*metav1.APIResourceList, err error) {
	err = retry(ctx, func() error {
		lists, err = ServerPreferredResourcesWithContext(ctx, d)
		return err
	})
	return lists, err
}

// ServerPreferredNamespacedResourcesWithContext is like ServerPreferredResourcesWithContext, for namespaced resources.
// Empty lists are omitted.
func (d *DiscoveryClient) ServerPreferredNamespacedResourcesWithContext(ctx context.Context) ([]*metav1.APIResourceList, error) {
	all, err := d.ServerPreferredResourcesWithContext(ctx)
	return FilteredBy(namespaced, all), err
}

// ServerPreferredNamespacedResourcesWithContext reads the preferred namespaced resources through d, once.
func ServerPreferredNamespacedResourcesWithContext(ctx context.Context, d DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, error) {
	all, err := ServerPreferredResourcesWithContext(ctx, d)
	return FilteredBy(namespaced, all), err
}

const namespaced = scope(true)

// scope matches namespaced resources, or cluster-scoped ones.
type scope bool

func (s scope) Match(_ string, r *metav1.APIResource) bool { return r.Namespaced == bool(s) }

// ServerPreferredResourcesWithContext reads the preferred resources through d, once.
func ServerPreferredResourcesWithContext(ctx context.Context, d DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, error) {
	all, err := everything(ctx, d)
	if err != nil {
		return nil, err
	}
	lists := []*metav1.APIResourceList{}
	for i := range all.groups.Groups {
		lists = append(lists, preferredOf(&all.groups.Groups[i], all.resources)...)
	}
	return lists, all.err()
}

// preferredOf returns a list for each version of a group that was read, with its preferred resources; it may be empty.
func preferredOf(group *metav1.APIGroup, resources map[schema.GroupVersion]*metav1.APIResourceList) []*metav1.APIResourceList {
	chosen := map[string]string{} // the version of each resource
	for _, v := range group.Versions {
		for _, r := range resourcesIn(group, v, resources) {
			if _, ok := chosen[r.Name]; !ok || v.Version == group.PreferredVersion.Version {
				chosen[r.Name] = v.Version
			}
		}
	}
	var lists []*metav1.APIResourceList
	for _, v := range group.Versions {
		if resources[schema.GroupVersion{Group: group.Name, Version: v.Version}] == nil {
			continue
		}
		list := &metav1.APIResourceList{GroupVersion: v.GroupVersion}
		for _, r := range resourcesIn(group, v, resources) {
			if chosen[r.Name] == v.Version {
				list.APIResources = append(list.APIResources, r)
			}
		}
		lists = append(lists, list)
	}
	return lists
}

// resourcesIn returns the resources of one version of a group, without subresources.
func resourcesIn(group *metav1.APIGroup, v metav1.GroupVersionForDiscovery, resources map[schema.GroupVersion]*metav1.APIResourceList) []metav1.APIResource {
	list := resources[schema.GroupVersion{Group: group.Name, Version: v.Version}]
	if list == nil {
		return nil
	}
	var whole []metav1.APIResource
	for _, r := range list.APIResources {
		if !strings.Contains(r.Name, "/") {
			whole = append(whole, r)
		}
	}
	return whole
}

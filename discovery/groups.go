package discovery

import (
	"context"
	"maps"
	"slices"
	"sync"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ServerGroupsWithContext returns the groups of the server: the core group first, then the others in the server's order.
func (d *DiscoveryClient) ServerGroupsWithContext(ctx context.Context) (*metav1.APIGroupList, error) {
	groups, _, _, err := d.GroupsAndMaybeResourcesWithContext(ctx)
	return groups, err
}

// GroupsAndMaybeResourcesWithContext returns the groups. If the server supports aggregated discovery, it also returns
// the resources, and the stale group versions; otherwise the first map is nil.
func (d *DiscoveryClient) GroupsAndMaybeResourcesWithContext(ctx context.Context) (
	*metav1.APIGroupList,
	map[schema.GroupVersion]*metav1.APIResourceList,
	map[schema.GroupVersion]error,
	error,
) {
	if err := ctx.Err(); err != nil {
		return nil, nil, nil, err
	}
	var core *served
	var coreErr error
	var wg sync.WaitGroup
	wg.Go(func() { core, coreErr = d.coreGroup(ctx) })
	named, err := d.namedGroups(ctx)
	wg.Wait()
	if coreErr != nil {
		return nil, nil, nil, coreErr
	}
	if err != nil {
		return nil, nil, nil, err
	}
	all := core.and(named)
	return all.groups, all.resources, all.failed, nil
}

// served is the content of one of the two documents.
type served struct {
	groups    *metav1.APIGroupList
	resources map[schema.GroupVersion]*metav1.APIResourceList // nil unless the document is aggregated
	failed    map[schema.GroupVersion]error
}

// coreGroup reads /api. An aggregated API server has no core group, and answers 404.
func (d *DiscoveryClient) coreGroup(ctx context.Context) (*served, error) {
	const path = "/api"
	body, contentType, err := d.fetch(ctx, path, d.accept())
	if apierrors.IsNotFound(err) {
		return &served{groups: &metav1.APIGroupList{}, resources: map[schema.GroupVersion]*metav1.APIResourceList{}}, nil
	}
	if err != nil {
		return nil, err
	}
	if isAggregated(contentType) {
		return readAggregated(path, body, contentType)
	}
	var versions metav1.APIVersions
	if err := read(path, "APIVersions", body, contentType, &versions); err != nil {
		return nil, err
	}
	groups := &metav1.APIGroupList{}
	if len(versions.Versions) > 0 {
		groups.Groups = []metav1.APIGroup{coreGroupOf(versions.Versions)}
	}
	return &served{groups: groups}, checkGroups(path, groups)
}

func coreGroupOf(versions []string) metav1.APIGroup {
	var group metav1.APIGroup
	for _, v := range versions {
		group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: v, Version: v})
	}
	group.PreferredVersion = group.Versions[0]
	return group
}

// namedGroups reads /apis.
func (d *DiscoveryClient) namedGroups(ctx context.Context) (*served, error) {
	const path = "/apis"
	body, contentType, err := d.fetch(ctx, path, d.accept())
	if err != nil {
		return nil, err
	}
	if isAggregated(contentType) {
		return readAggregated(path, body, contentType)
	}
	groups := &metav1.APIGroupList{}
	if err := read(path, "APIGroupList", body, contentType, groups); err != nil {
		return nil, err
	}
	return &served{groups: groups}, checkGroups(path, groups)
}

func readAggregated(path string, body []byte, contentType string) (*served, error) {
	var list apidiscovery.APIGroupDiscoveryList
	if err := read(path, "APIGroupDiscoveryList", body, contentType, &list); err != nil {
		return nil, err
	}
	s := &served{}
	s.groups, s.resources, s.failed = SplitGroupsAndResources(list)
	return s, checkGroups(path, s.groups)
}

// and joins two documents. Resources are set only if both have them: then no more requests are needed.
func (s *served) and(other *served) *served {
	all := &served{groups: &metav1.APIGroupList{}, failed: map[schema.GroupVersion]error{}}
	all.groups.Groups = merge(slices.Concat(s.groups.Groups, other.groups.Groups))
	maps.Copy(all.failed, s.failed)
	maps.Copy(all.failed, other.failed)
	if s.resources != nil && other.resources != nil {
		all.resources = make(map[schema.GroupVersion]*metav1.APIResourceList, len(s.resources)+len(other.resources))
		maps.Copy(all.resources, s.resources)
		maps.Copy(all.resources, other.resources)
	}
	return all
}

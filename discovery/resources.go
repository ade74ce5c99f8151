package discovery

import (
	"context"
	"errors"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/rest"
)

const (
	// tries is how often everything is read when groups fail: one that is deleted just then is not a failure.
	tries = 2
	// atOnce is how many group versions are asked for at the same time.
	atOnce = 16
)

// ServerResourcesForGroupVersionWithContext returns the resources of a group version, such as "apps/v1". It is one
// request. The core group "v1" is never missing, only empty.
func (d *DiscoveryClient) ServerResourcesForGroupVersionWithContext(ctx context.Context, groupVersion string) (*metav1.APIResourceList, error) {
	path, err := d.pathOf(groupVersion)
	if err != nil {
		return nil, err
	}
	list := &metav1.APIResourceList{}
	body, contentType, err := d.fetch(ctx, path, AcceptV1)
	switch {
	case apierrors.IsNotFound(err) && groupVersion == "v1":
	case err != nil:
		return nil, err
	default:
		if err := read(path, "APIResourceList", body, contentType, list); err != nil {
			return nil, err
		}
	}
	list.GroupVersion = groupVersion
	return list, nil
}

func (d *DiscoveryClient) pathOf(groupVersion string) (string, error) {
	if groupVersion == "" {
		return "", errors.New(`the group version is empty: the core group is "v1"`)
	}
	gv, err := schema.ParseGroupVersion(groupVersion)
	if err != nil {
		return "", fmt.Errorf("invalid group version %q: %w", groupVersion, err)
	}
	for _, part := range []string{gv.Group, gv.Version} {
		if wrong := rest.IsValidPathSegmentName(part); len(wrong) > 0 {
			return "", fmt.Errorf("invalid group version %q: %v", groupVersion, wrong)
		}
	}
	if gv.Group == "" && d.LegacyPrefix != "" {
		return d.LegacyPrefix + "/" + groupVersion, nil
	}
	return "/apis/" + groupVersion, nil
}

// ServerGroupsAndResourcesWithContext returns everything that the server serves. When groups fail, it reads everything
// again once; if they still fail, it returns what could be read, and an *ErrGroupDiscoveryFailed.
func (d *DiscoveryClient) ServerGroupsAndResourcesWithContext(ctx context.Context) (groups []*metav1.APIGroup, lists []*metav1.APIResourceList, err error) {
	err = retry(ctx, func() error {
		groups, lists, err = ServerGroupsAndResourcesWithContext(ctx, d)
		return err
	})
	return groups, lists, err
}

// retry repeats f while groups fail.
func retry(ctx context.Context, f func() error) (err error) {
	for range tries {
		if err = f(); !IsGroupDiscoveryFailedError(err) || ctx.Err() != nil {
			break
		}
	}
	return err
}

// ServerGroupsAndResourcesWithContext reads everything through d, once.
func ServerGroupsAndResourcesWithContext(ctx context.Context, d DiscoveryInterfaceWithContext) ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	all, err := everything(ctx, d)
	if err != nil {
		return nil, nil, err
	}
	groups, lists := []*metav1.APIGroup{}, []*metav1.APIResourceList{}
	for i := range all.groups.Groups {
		group := &all.groups.Groups[i]
		groups = append(groups, group)
		for _, v := range group.Versions {
			if list := all.resources[schema.GroupVersion{Group: group.Name, Version: v.Version}]; list != nil {
				lists = append(lists, list)
			}
		}
	}
	return groups, lists, all.err()
}

// everything reads groups and resources through d, in as few requests as d can.
func everything(ctx context.Context, d DiscoveryInterfaceWithContext) (*served, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all := &served{}
	var err error
	switch d := d.(type) {
	case AggregatedDiscoveryInterfaceWithContext:
		all.groups, all.resources, all.failed, err = d.GroupsAndMaybeResourcesWithContext(ctx)
	case AggregatedDiscoveryInterface:
		all.groups, all.resources, all.failed, err = d.GroupsAndMaybeResources()
	default:
		all.groups, err = d.ServerGroupsWithContext(ctx)
	}
	if err != nil {
		return nil, err
	}
	if all.groups == nil {
		return nil, fmt.Errorf("%T returned neither groups nor an error", d)
	}
	if all.resources == nil {
		all.resources, all.failed = eachGroupVersion(ctx, d, all.groups)
	}
	return all, nil
}

// err is the failure of a part, if there is one.
func (s *served) err() error {
	if len(s.failed) == 0 {
		return nil
	}
	return &ErrGroupDiscoveryFailed{Groups: s.failed}
}

// eachGroupVersion asks for the group versions one by one, some at the same time.
func eachGroupVersion(ctx context.Context, d ServerResourcesInterfaceWithContext, groups *metav1.APIGroupList) (map[schema.GroupVersion]*metav1.APIResourceList, map[schema.GroupVersion]error) {
	resources := map[schema.GroupVersion]*metav1.APIResourceList{}
	failed := map[schema.GroupVersion]error{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for _, group := range groups.Groups {
		for _, v := range group.Versions {
			gv := schema.GroupVersion{Group: group.Name, Version: v.Version}
			slots <- struct{}{}
			wg.Go(func() {
				defer func() { <-slots }()
				list, err := d.ServerResourcesForGroupVersionWithContext(ctx, gv.String())
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					failed[gv] = err
				}
				if list != nil { // some caches return what they last knew beside an error
					resources[gv] = list
				}
			})
		}
	}
	wg.Wait()
	return resources, failed
}

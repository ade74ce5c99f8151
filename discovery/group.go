package discovery

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/rest"
)

// ServerGroup returns one group, with one small request. The core group is "". If there is no such group,
// apierrors.IsNotFound is true for the error.
func (d *DiscoveryClient) ServerGroup(ctx context.Context, name string) (*metav1.APIGroup, error) {
	if name == "" {
		core, err := d.legacy().coreGroup(ctx)
		if err != nil {
			return nil, err
		}
		if len(core.groups.Groups) == 0 {
			return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "groups"}, "core")
		}
		return &core.groups.Groups[0], nil
	}
	if wrong := rest.IsValidPathSegmentName(name); len(wrong) > 0 {
		return nil, fmt.Errorf("invalid group %q: %v", name, wrong)
	}
	path := "/apis/" + name
	body, contentType, err := d.fetch(ctx, path, AcceptV1)
	if err != nil {
		return nil, err
	}
	group := &metav1.APIGroup{}
	if err := read(path, "APIGroup", body, contentType, group); err != nil {
		return nil, err
	}
	group.Name = name
	list := &metav1.APIGroupList{Groups: []metav1.APIGroup{*group}}
	return &list.Groups[0], checkGroups(path, list)
}

// checkGroups returns an error for missing names, and fills in derived fields.
func checkGroups(path string, list *metav1.APIGroupList) error {
	for i := range list.Groups {
		group := &list.Groups[i]
		if group.Name == "" && path != "/api" {
			return fmt.Errorf("GET %s: group %d of %d has no name", path, i+1, len(list.Groups))
		}
		for j := range group.Versions {
			v := &group.Versions[j]
			if gv, err := schema.ParseGroupVersion(v.GroupVersion); v.Version == "" && err == nil && gv.Group == group.Name {
				v.Version = gv.Version // servers of tests leave it out
			}
			if v.Version == "" {
				return fmt.Errorf("GET %s: version %d of group %q has no name", path, j+1, group.Name)
			}
			v.GroupVersion = schema.GroupVersion{Group: group.Name, Version: v.Version}.String()
		}
	}
	return nil
}

// merge merges groups of the same name. The first determines the preferred version.
func merge(groups []metav1.APIGroup) []metav1.APIGroup {
	merged := make([]metav1.APIGroup, 0, len(groups))
	at := make(map[string]int, len(groups))
	for _, group := range groups {
		i, seen := at[group.Name]
		if !seen {
			at[group.Name] = len(merged)
			i = len(merged)
			merged = append(merged, metav1.APIGroup{TypeMeta: group.TypeMeta, Name: group.Name, ServerAddressByClientCIDRs: group.ServerAddressByClientCIDRs})
		}
		into := &merged[i]
		if into.PreferredVersion.Version == "" {
			into.PreferredVersion = group.PreferredVersion
		}
		for _, v := range group.Versions {
			if !slices.Contains(into.Versions, v) {
				into.Versions = append(into.Versions, v)
			}
		}
	}
	return merged
}

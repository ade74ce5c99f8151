package discovery

import (
	"fmt"
	"maps"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// StaleGroupVersionError is the error of a group version that the server marks as stale: its aggregated API server has
// not answered recently.
type StaleGroupVersionError struct {
	gv schema.GroupVersion
}

func (s StaleGroupVersionError) Error() string {
	return fmt.Sprintf("stale GroupVersion discovery: %v", s.gv)
}

// SplitGroupsAndResources converts aggregated discovery to unaggregated form: the groups, the resources of each group
// version, and the stale group versions. Those are omitted from the groups. Resources without a kind are omitted as
// well, but not their subresources that have one.
func SplitGroupsAndResources(aggregatedGroups apidiscovery.APIGroupDiscoveryList) (
	*metav1.APIGroupList,
	map[schema.GroupVersion]*metav1.APIResourceList,
	map[schema.GroupVersion]error,
) {
	groups := &metav1.APIGroupList{Groups: make([]metav1.APIGroup, 0, len(aggregatedGroups.Items))}
	resources := map[schema.GroupVersion]*metav1.APIResourceList{}
	failed := map[schema.GroupVersion]error{}
	for i := range aggregatedGroups.Items {
		group, served, stale := splitGroup(&aggregatedGroups.Items[i])
		groups.Groups = append(groups.Groups, group)
		maps.Copy(resources, served)
		maps.Copy(failed, stale)
	}
	return groups, resources, failed
}

func splitGroup(in *apidiscovery.APIGroupDiscovery) (
	metav1.APIGroup,
	map[schema.GroupVersion]*metav1.APIResourceList,
	map[schema.GroupVersion]error,
) {
	group := metav1.APIGroup{Name: in.Name}
	served := map[schema.GroupVersion]*metav1.APIResourceList{}
	stale := map[schema.GroupVersion]error{}
	for i := range in.Versions {
		v := &in.Versions[i]
		gv := schema.GroupVersion{Group: in.Name, Version: v.Version}
		if v.Freshness == apidiscovery.DiscoveryFreshnessStale {
			stale[gv] = StaleGroupVersionError{gv: gv}
			continue
		}
		group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: v.Version})
		served[gv] = &metav1.APIResourceList{GroupVersion: gv.String(), APIResources: splitResources(v.Resources)}
	}
	if len(group.Versions) > 0 {
		group.PreferredVersion = group.Versions[0]
	}
	return group, served, stale
}

func splitResources(in []apidiscovery.APIResourceDiscovery) []metav1.APIResource {
	var out []metav1.APIResource
	for i := range in {
		r := &in[i]
		resource := metav1.APIResource{
			Name:         r.Resource,
			SingularName: r.SingularResource,
			Namespaced:   r.Scope == apidiscovery.ScopeNamespace,
			Verbs:        r.Verbs,
			ShortNames:   r.ShortNames,
			Categories:   r.Categories,
		}
		if setKind(&resource, r.ResponseKind) {
			out = append(out, resource)
		}
		for j := range r.Subresources {
			s := &r.Subresources[j]
			sub := metav1.APIResource{
				Name:         resource.Name + "/" + s.Subresource,
				SingularName: resource.SingularName,
				Namespaced:   resource.Namespaced,
				Verbs:        s.Verbs,
			}
			if setKind(&sub, s.ResponseKind) {
				out = append(out, sub)
			}
		}
	}
	return out
}

// setKind sets the response kind of a resource; false if it is unknown.
func setKind(resource *metav1.APIResource, kind *metav1.GroupVersionKind) bool {
	if kind == nil || *kind == (metav1.GroupVersionKind{}) {
		return false
	}
	resource.Group, resource.Version, resource.Kind = kind.Group, kind.Version, kind.Kind
	return true
}

package restmapper

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/discovery"
)

// APIGroupResources is a group, with the resources of each version that could be read.
type APIGroupResources struct {
	Group              metav1.APIGroup
	VersionedResources map[string][]metav1.APIResource
}

// GetAPIGroupResources is GetAPIGroupResourcesWithContext without a context.
func GetAPIGroupResources(cl discovery.DiscoveryInterface) ([]*APIGroupResources, error) {
	return GetAPIGroupResourcesWithContext(context.Background(), discovery.ToDiscoveryInterfaceWithContext(cl))
}

// GetAPIGroupResourcesWithContext reads everything that the server serves. Group versions that fail are omitted; it is
// an error only if nothing could be read.
func GetAPIGroupResourcesWithContext(ctx context.Context, cl discovery.DiscoveryInterfaceWithContext) ([]*APIGroupResources, error) {
	groups, lists, err := cl.ServerGroupsAndResourcesWithContext(ctx)
	if groups == nil || lists == nil {
		return nil, err
	}
	return groupResources(groups, lists), nil
}

func groupResources(groups []*metav1.APIGroup, lists []*metav1.APIResourceList) []*APIGroupResources {
	byVersion := make(map[string][]metav1.APIResource, len(lists))
	for _, list := range lists {
		byVersion[list.GroupVersion] = list.APIResources
	}
	var result []*APIGroupResources
	for _, group := range groups {
		g := &APIGroupResources{Group: *group, VersionedResources: map[string][]metav1.APIResource{}}
		for _, v := range group.Versions {
			if resources, ok := byVersion[v.GroupVersion]; ok {
				g.VersionedResources[v.Version] = resources
			}
		}
		result = append(result, g)
	}
	return result
}

// NewDiscoveryRESTMapper returns a mapper for these resources. It is immutable.
func NewDiscoveryRESTMapper(groupResources []*APIGroupResources) meta.RESTMapper {
	return mapper{newPriorityMapper(groupResources)}
}

// NewDiscoveryRESTMapperWithContext returns a mapper for these resources. It is immutable.
func NewDiscoveryRESTMapperWithContext(groupResources []*APIGroupResources) meta.RESTMapperWithContext {
	return mapper{newPriorityMapper(groupResources)}
}

// newPriorityMapper returns a mapper that combines one mapper for each group version. The first matching pattern takes
// precedence: core v1, then for each group its versions, then any version of a group.
func newPriorityMapper(groups []*APIGroupResources) *meta.PriorityRESTMapperWithContext {
	all := meta.MultiRESTMapperWithContext{}
	order := []schema.GroupVersion{{Version: "v1"}}
	for _, group := range groups {
		order = append(order, versionsOf(group)...)
		for _, v := range group.Group.Versions {
			if resources, ok := group.VersionedResources[v.Version]; ok {
				all = append(all, versionMapper(schema.GroupVersion{Group: group.Group.Name, Version: v.Version}, resources))
			}
		}
	}
	for _, group := range groups {
		order = append(order, schema.GroupVersion{Group: group.Group.Name, Version: meta.AnyVersion})
	}
	m := &meta.PriorityRESTMapperWithContext{Delegate: all}
	for _, gv := range order {
		m.ResourcePriority = append(m.ResourcePriority, gv.WithResource(meta.AnyResource))
		m.KindPriority = append(m.KindPriority, gv.WithKind(meta.AnyKind))
	}
	return m
}

// versionsOf returns the versions that were read, the preferred one first.
func versionsOf(group *APIGroupResources) []schema.GroupVersion {
	var preferred, others []schema.GroupVersion
	for _, v := range group.Group.Versions {
		gv := schema.GroupVersion{Group: group.Group.Name, Version: v.Version}
		switch _, ok := group.VersionedResources[v.Version]; {
		case !ok:
		case v.Version == group.Group.PreferredVersion.Version:
			preferred = append(preferred, gv)
		default:
			others = append(others, gv)
		}
	}
	return append(preferred, others...)
}

func versionMapper(gv schema.GroupVersion, resources []metav1.APIResource) *meta.DefaultRESTMapper {
	m := meta.NewDefaultRESTMapper([]schema.GroupVersion{gv})
	// The server does not report the kinds of lists. These are guesses, so that reported kinds come later and take
	// precedence.
	m.Add(gv.WithKind("List"), meta.RESTScopeRoot)
	for i := range resources {
		if r := &resources[i]; !isSubresource(r) {
			m.Add(gv.WithKind(r.Kind+"List"), scopeOf(r))
		}
	}
	for i := range resources {
		r := &resources[i]
		if isSubresource(r) {
			continue
		}
		plural, singular := gv.WithResource(r.Name), gv.WithResource(r.SingularName)
		if r.SingularName == "" { // old servers
			_, singular = meta.UnsafeGuessKindToResource(gv.WithKind(r.Kind))
		}
		m.AddSpecific(gv.WithKind(strings.ToLower(r.Kind)), plural, singular, scopeOf(r))
		m.AddSpecific(gv.WithKind(r.Kind), plural, singular, scopeOf(r))
	}
	return m
}

func isSubresource(r *metav1.APIResource) bool { return strings.Contains(r.Name, "/") }

func scopeOf(r *metav1.APIResource) meta.RESTScope {
	if r.Namespaced {
		return meta.RESTScopeNamespace
	}
	return meta.RESTScopeRoot
}

package discoverytest

import (
	"net/http"
	"strings"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	contentTypeV1 = "application/json"
	contentTypeV2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
)

func only(groups []Group, name string) []Group {
	var found []Group
	for _, g := range groups {
		if g.Name == name {
			found = append(found, g)
		}
	}
	return found
}

func except(groups []Group, name string) []Group {
	var found []Group
	for _, g := range groups {
		if g.Name != name {
			found = append(found, g)
		}
	}
	return found
}

// legacy answers for the paths /api, /apis, /api/v1, /apis/GROUP and /apis/GROUP/VERSION.
func legacy(w http.ResponseWriter, groups []Group, path string) {
	parts := strings.Split(path, "/")
	switch {
	case path == "api" && len(only(groups, "")) > 0:
		versions := metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}}
		for _, v := range only(groups, "")[0].Versions {
			versions.Versions = append(versions.Versions, v.Name)
		}
		send(w, versions, contentTypeV1)
	case path == "apis":
		list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
		for _, g := range except(groups, "") {
			list.Groups = append(list.Groups, describe(g))
		}
		send(w, list, contentTypeV1)
	case parts[0] == "apis" && len(parts) == 2 && len(only(groups, parts[1])) > 0:
		group := describe(only(groups, parts[1])[0])
		group.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
		send(w, group, contentTypeV1)
	case parts[0] == "apis" && len(parts) == 3:
		list(w, only(groups, parts[1]), parts[2])
	case parts[0] == "api" && len(parts) == 2:
		list(w, only(groups, ""), parts[1])
	default:
		http.NotFound(w, nil)
	}
}

func describe(g Group) metav1.APIGroup {
	group := metav1.APIGroup{Name: g.Name}
	for _, v := range g.Versions {
		gv := schema.GroupVersion{Group: g.Name, Version: v.Name}
		group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: v.Name})
	}
	if len(group.Versions) > 0 {
		group.PreferredVersion = group.Versions[0]
	}
	return group
}

func list(w http.ResponseWriter, groups []Group, version string) {
	for _, g := range groups {
		for _, v := range g.Versions {
			switch {
			case v.Name != version:
			case v.Stale:
				http.Error(w, "service unavailable", http.StatusServiceUnavailable)
				return
			default:
				gv := schema.GroupVersion{Group: g.Name, Version: v.Name}
				send(w, metav1.APIResourceList{
					TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
					GroupVersion: gv.String(), APIResources: v.Resources,
				}, contentTypeV1)
				return
			}
		}
	}
	http.NotFound(w, nil)
}

func aggregate(groups []Group) *apidiscovery.APIGroupDiscoveryList {
	out := &apidiscovery.APIGroupDiscoveryList{
		TypeMeta: metav1.TypeMeta{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/v2"},
		Items:    []apidiscovery.APIGroupDiscovery{},
	}
	for _, g := range groups {
		group := apidiscovery.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: g.Name}}
		for _, v := range g.Versions {
			version := apidiscovery.APIVersionDiscovery{Version: v.Name, Freshness: apidiscovery.DiscoveryFreshnessCurrent}
			if v.Stale {
				version.Freshness = apidiscovery.DiscoveryFreshnessStale
			}
			for i := range v.Resources {
				version.Resources = addResource(version.Resources, schema.GroupVersion{Group: g.Name, Version: v.Name}, &v.Resources[i])
			}
			group.Versions = append(group.Versions, version)
		}
		out.Items = append(out.Items, group)
	}
	return out
}

// addResource adds a resource, or a subresource to the resource it belongs to, which comes before it.
func addResource(to []apidiscovery.APIResourceDiscovery, gv schema.GroupVersion, r *metav1.APIResource) []apidiscovery.APIResourceDiscovery {
	kind := &metav1.GroupVersionKind{Group: gv.Group, Version: gv.Version, Kind: r.Kind}
	if name, sub, ok := strings.Cut(r.Name, "/"); ok {
		for i := range to {
			if to[i].Resource == name {
				to[i].Subresources = append(to[i].Subresources, apidiscovery.APISubresourceDiscovery{Subresource: sub, ResponseKind: kind, Verbs: r.Verbs})
			}
		}
		return to
	}
	scope := apidiscovery.ScopeCluster
	if r.Namespaced {
		scope = apidiscovery.ScopeNamespace
	}
	return append(to, apidiscovery.APIResourceDiscovery{
		Resource: r.Name, ResponseKind: kind, Scope: scope, SingularResource: r.SingularName,
		Verbs: r.Verbs, ShortNames: r.ShortNames, Categories: r.Categories,
	})
}

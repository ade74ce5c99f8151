package discovery

import (
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apimachineryversion "k8s.io/apimachinery/pkg/version"
)

// IsResourceEnabled reports whether the server has a resource in the given version. It sends one request.
func IsResourceEnabled(client DiscoveryInterface, resourceToCheck schema.GroupVersionResource) (bool, error) {
	list, err := client.ServerResourcesForGroupVersion(resourceToCheck.GroupVersion().String())
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool {
		return r.Name == resourceToCheck.Resource
	}), nil
}

// MatchesServerVersion returns an error unless the server was built from the same commit as the client.
func MatchesServerVersion(clientVersion apimachineryversion.Info, client DiscoveryInterface) error {
	server, err := client.ServerVersion()
	if err != nil {
		return fmt.Errorf("couldn't read version from server: %w", err)
	}
	if clientVersion.GitVersion != server.GitVersion || clientVersion.GitCommit != server.GitCommit ||
		clientVersion.GitTreeState != server.GitTreeState {
		return fmt.Errorf("server version (%#v) differs from client version (%#v)", *server, clientVersion)
	}
	return nil
}

// ServerSupportsVersion returns an error if the server does not have a group version. If the server lists no groups at
// all, it may hide them from this user, and there is no error.
func ServerSupportsVersion(client DiscoveryInterface, requiredGV schema.GroupVersion) error {
	groups, err := client.ServerGroups()
	if err != nil {
		return err
	}
	versions := metav1.ExtractGroupVersions(groups)
	if len(versions) == 0 || slices.Contains(versions, requiredGV.String()) {
		return nil
	}
	return fmt.Errorf("server does not support API version %q", requiredGV)
}

// GroupVersionResources returns the set of the resources in the lists, subresources included.
func GroupVersionResources(rls []*metav1.APIResourceList) (map[schema.GroupVersionResource]struct{}, error) {
	set := map[schema.GroupVersionResource]struct{}{}
	for _, list := range rls {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for i := range list.APIResources {
			set[gv.WithResource(list.APIResources[i].Name)] = struct{}{}
		}
	}
	return set, nil
}

// FilteredBy returns copies of the lists with the resources that match. Empty lists are omitted.
func FilteredBy(pred ResourcePredicate, rls []*metav1.APIResourceList) []*metav1.APIResourceList {
	result := []*metav1.APIResourceList{}
	for _, list := range rls {
		filtered := *list
		filtered.APIResources = nil
		for i := range list.APIResources {
			if pred.Match(list.GroupVersion, &list.APIResources[i]) {
				filtered.APIResources = append(filtered.APIResources, list.APIResources[i])
			}
		}
		if len(filtered.APIResources) > 0 {
			result = append(result, &filtered)
		}
	}
	return result
}

// ResourcePredicate selects resources.
type ResourcePredicate interface {
	Match(groupVersion string, r *metav1.APIResource) bool
}

// ResourcePredicateFunc is a function that selects resources.
type ResourcePredicateFunc func(groupVersion string, r *metav1.APIResource) bool

// Match calls the function.
func (fn ResourcePredicateFunc) Match(groupVersion string, r *metav1.APIResource) bool {
	return fn(groupVersion, r)
}

// SupportsAllVerbs selects resources that support all the verbs.
type SupportsAllVerbs struct {
	Verbs []string
}

// Match reports whether r supports all the verbs.
func (p SupportsAllVerbs) Match(_ string, r *metav1.APIResource) bool {
	return !slices.ContainsFunc(p.Verbs, func(verb string) bool { return !slices.Contains(r.Verbs, verb) })
}

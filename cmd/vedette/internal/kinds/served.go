package kinds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/discovery"
	"vedette.dev/discovery/cached/memory"
	"vedette.dev/restmapper"
)

// Resource is a resource of a server.
type Resource struct {
	schema.GroupVersionResource
	Kind       string
	Namespaced bool
	Verbs      []string
}

// String is the name as kubectl has it: pods, deployments.apps.
func (r Resource) String() string { return r.GroupResource().String() }

// Watchable reports whether it can be listed and watched.
func (r Resource) Watchable() bool {
	return slices.Contains(r.Verbs, "list") && slices.Contains(r.Verbs, "watch")
}

// Served is what a server serves.
type Served struct {
	lists  []*metav1.APIResourceList
	mapper meta.RESTMapperWithContext
	failed error // which groups could not be read
}

// Read asks the server. A group that cannot be read, because its own server is down, does not hide the others.
func Read(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) (*Served, error) {
	cached := memory.NewMemCacheClientWithContext(client)
	_, lists, err := cached.ServerGroupsAndResourcesWithContext(ctx)
	if err != nil && (!discovery.IsGroupDiscoveryFailedError(err) || len(lists) == 0) {
		return nil, err
	}
	groups, groupsErr := restmapper.GetAPIGroupResourcesWithContext(ctx, cached)
	if groupsErr != nil {
		return nil, groupsErr
	}
	mapper := restmapper.NewShortcutExpanderWithContext(restmapper.NewDiscoveryRESTMapperWithContext(groups), cached, nil)
	return &Served{lists: lists, mapper: mapper, failed: err}, nil
}

// Find finds a resource by name, without asking the server again. It returns an UnknownError if there is none.
func (s *Served) Find(name string) (Resource, error) {
	full, short := schema.ParseResourceArg(strings.ToLower(name))
	if full != nil {
		if found, err := s.mapper.ResourceForWithContext(context.Background(), *full); err == nil {
			return s.describe(found)
		}
	}
	found, err := s.mapper.ResourceForWithContext(context.Background(), short.WithVersion(""))
	switch {
	case err == nil:
		return s.describe(found)
	case meta.IsNoMatchError(err):
		return Resource{}, &UnknownError{Name: name, Similar: s.similar(short), Failed: s.failed}
	}
	return Resource{}, err
}

func (s *Served) describe(gvr schema.GroupVersionResource) (Resource, error) {
	for r := range s.all {
		if r.GroupVersionResource == gvr {
			return r, nil
		}
	}
	return Resource{}, fmt.Errorf("the server lists %s, but does not describe it", gvr)
}

// all goes through the resources of all versions, without subresources.
func (s *Served) all(yield func(Resource) bool) {
	for _, list := range s.lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue
		}
		for i := range list.APIResources {
			r := &list.APIResources[i]
			if strings.Contains(r.Name, "/") {
				continue
			}
			if !yield(Resource{gv.WithResource(r.Name), r.Kind, r.Namespaced, r.Verbs}) {
				return
			}
		}
	}
}

// Watchable returns the resources that can be listed and watched, each in the version that the server prefers. Events, served in two
// groups, are in it once.
func (s *Served) Watchable() []Resource {
	var found []Resource
	for r := range s.all {
		if !r.Watchable() || r.GroupResource() == (schema.GroupResource{Group: "events.k8s.io", Resource: "events"}) {
			continue
		}
		preferred, err := s.mapper.ResourceForWithContext(context.Background(), r.GroupResource().WithVersion(""))
		if err == nil && preferred == r.GroupVersionResource {
			found = append(found, r)
		}
	}
	return found
}

// UnknownError means that a server has no such resource.
type UnknownError struct {
	Name string
	// Similar are names that come close, the closest first.
	Similar []string
	// Failed has the groups whose discovery failed; nil if none did.
	Failed error
}

func (e *UnknownError) Error() string {
	text := fmt.Sprintf("the server has no resource %q", e.Name)
	switch len(e.Similar) {
	case 0:
	case 1:
		text += "; did you mean " + e.Similar[0] + "?"
	default:
		last := len(e.Similar) - 1
		text += "; did you mean " + strings.Join(e.Similar[:last], ", ") + " or " + e.Similar[last] + "?"
	}
	if e.Failed != nil {
		text += fmt.Sprintf(" (not all groups could be read: %v)", e.Failed)
	}
	return text
}

// IsUnknown reports whether an error is an UnknownError.
func IsUnknown(err error) bool { return errors.As(err, new(*UnknownError)) }

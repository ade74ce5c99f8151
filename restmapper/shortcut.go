package restmapper

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/discovery"
)

// NewShortcutExpander is NewShortcutExpanderWithContext for mappers without contexts.
func NewShortcutExpander(delegate meta.RESTMapper, client discovery.DiscoveryInterface, warningHandler func(string)) meta.RESTMapper {
	return mapper{newShortcuts(meta.ToRESTMapperWithContext(delegate), discovery.ToDiscoveryInterfaceWithContext(client), warningHandler)}
}

// NewShortcutExpanderWithContext lets delegate understand the short names of resources. They come from client, which is
// called each time: use one with a cache. warningHandler, if it is not nil, is called for a short name that several
// resources share; the first one in the order of the server has it.
func NewShortcutExpanderWithContext(delegate meta.RESTMapperWithContext, client discovery.DiscoveryInterfaceWithContext, warningHandler func(string)) meta.RESTMapperWithContext {
	return mapper{newShortcuts(delegate, client, warningHandler)}
}

func newShortcuts(delegate meta.RESTMapperWithContext, client discovery.DiscoveryInterfaceWithContext, warn func(string)) *shortcuts {
	if delegate == nil || client == nil {
		panic("restmapper: a shortcut expander needs a mapper and a discovery client, got nil")
	}
	return &shortcuts{delegate: delegate, client: client, warn: warn}
}

type shortcuts struct {
	delegate meta.RESTMapperWithContext
	client   discovery.DiscoveryInterfaceWithContext
	warn     func(string)
}

// expanded puts a question about a resource in its long form. If there is no answer, the delegate may have read everything
// anew in the meantime, and the name may have become a short one: then the question is put again.
func expanded[T any](ctx context.Context, s *shortcuts, resource schema.GroupVersionResource, question func(schema.GroupVersionResource) (T, error)) (T, error) {
	long := s.expand(ctx, resource)
	result, err := question(long)
	if !meta.IsNoMatchError(err) {
		return result, err
	}
	if again := s.expand(ctx, resource); again != long {
		return question(again)
	}
	return result, err
}

func (s *shortcuts) KindForWithContext(ctx context.Context, resource schema.GroupVersionResource) (schema.GroupVersionKind, error) {
	return expanded(ctx, s, resource, func(r schema.GroupVersionResource) (schema.GroupVersionKind, error) {
		return s.delegate.KindForWithContext(ctx, r)
	})
}

func (s *shortcuts) KindsForWithContext(ctx context.Context, resource schema.GroupVersionResource) ([]schema.GroupVersionKind, error) {
	return expanded(ctx, s, resource, func(r schema.GroupVersionResource) ([]schema.GroupVersionKind, error) {
		return s.delegate.KindsForWithContext(ctx, r)
	})
}

func (s *shortcuts) ResourceForWithContext(ctx context.Context, input schema.GroupVersionResource) (schema.GroupVersionResource, error) {
	return expanded(ctx, s, input, func(r schema.GroupVersionResource) (schema.GroupVersionResource, error) {
		return s.delegate.ResourceForWithContext(ctx, r)
	})
}

func (s *shortcuts) ResourcesForWithContext(ctx context.Context, input schema.GroupVersionResource) ([]schema.GroupVersionResource, error) {
	return expanded(ctx, s, input, func(r schema.GroupVersionResource) ([]schema.GroupVersionResource, error) {
		return s.delegate.ResourcesForWithContext(ctx, r)
	})
}

func (s *shortcuts) ResourceSingularizerWithContext(ctx context.Context, resource string) (string, error) {
	return expanded(ctx, s, schema.GroupVersionResource{Resource: resource}, func(r schema.GroupVersionResource) (string, error) {
		return s.delegate.ResourceSingularizerWithContext(ctx, r.Resource)
	})
}

func (s *shortcuts) RESTMappingWithContext(ctx context.Context, gk schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	return s.delegate.RESTMappingWithContext(ctx, gk, versions...)
}

func (s *shortcuts) RESTMappingsWithContext(ctx context.Context, gk schema.GroupKind, versions ...string) ([]*meta.RESTMapping, error) {
	return s.delegate.RESTMappingsWithContext(ctx, gk, versions...)
}

func (s *shortcuts) ResetWithContext(ctx context.Context) {
	meta.MaybeResetRESTMapperWithContext(ctx, s.delegate)
}

// expand returns the long form of a resource, or the resource as it is if it is none or unknown. Without a group all
// groups are searched; a group that has no such short name may be the beginning of one that has.
func (s *shortcuts) expand(ctx context.Context, resource schema.GroupVersionResource) schema.GroupVersionResource {
	// Part of the groups is better than nothing, so the error does not matter here. The delegate will meet it.
	_, lists, _ := s.client.ServerGroupsAndResourcesWithContext(ctx)
	inGroup := func(group string) bool { return resource.Group == "" || resource.Group == group }
	if isName(lists, resource.Resource, inGroup) {
		return resource
	}
	if found := longForms(lists, resource.Resource, inGroup); len(found) > 0 {
		s.warnOf(resource.Resource, found[1:])
		return found[0].WithVersion("")
	}
	if resource.Group == "" {
		return resource
	}
	byPrefix := func(group string) bool { return strings.HasPrefix(group, resource.Group) }
	if found := longForms(lists, resource.Resource, byPrefix); len(found) > 0 {
		return found[0].WithVersion(resource.Version)
	}
	return resource
}

func (s *shortcuts) warnOf(short string, others []schema.GroupResource) {
	if s.warn == nil {
		return
	}
	for _, other := range others {
		s.warn(fmt.Sprintf("short name %q could also match lower priority resource %s", short, other))
	}
}

// isName reports whether a name is the full name of a resource, plural or singular.
func isName(lists []*metav1.APIResourceList, name string, inGroup func(string) bool) bool {
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil || !inGroup(gv.Group) {
			continue
		}
		for i := range list.APIResources {
			if r := &list.APIResources[i]; name == r.Name || name == r.SingularName {
				return true
			}
		}
	}
	return false
}

// longForms returns the resources with a short name, in the order of the server and each once, however many versions
// it has.
func longForms(lists []*metav1.APIResourceList, short string, inGroup func(string) bool) []schema.GroupResource {
	var found []schema.GroupResource
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil || !inGroup(gv.Group) {
			continue
		}
		for i := range list.APIResources {
			r := &list.APIResources[i]
			long := schema.GroupResource{Group: gv.Group, Resource: r.Name}
			if slices.Contains(r.ShortNames, short) && !slices.Contains(found, long) {
				found = append(found, long)
			}
		}
	}
	return found
}

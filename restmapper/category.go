package restmapper

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/discovery"
)

// CategoryExpander is [CategoryExpanderWithContext] without contexts.
type CategoryExpander interface {
	Expand(category string) ([]schema.GroupResource, bool)
}

// CategoryExpanderWithContext turns a category, such as "all", into the resources in it; false if there is no such
// category.
type CategoryExpanderWithContext interface {
	ExpandWithContext(ctx context.Context, category string) ([]schema.GroupResource, bool)
}

// ToCategoryExpanderWithContext gives c the method with a context, unless it has it. Nil stays nil.
func ToCategoryExpanderWithContext(c CategoryExpander) CategoryExpanderWithContext {
	switch c := c.(type) {
	case nil:
		return nil
	case CategoryExpanderWithContext:
		return c
	default:
		return categoryAdapter{c}
	}
}

type categoryAdapter struct{ CategoryExpander }

func (a categoryAdapter) ExpandWithContext(_ context.Context, category string) ([]schema.GroupResource, bool) {
	return a.Expand(category)
}

// SimpleCategoryExpander is a table of categories.
type SimpleCategoryExpander struct {
	Expansions map[string][]schema.GroupResource
}

// Expand looks the category up.
func (e SimpleCategoryExpander) Expand(category string) ([]schema.GroupResource, bool) {
	resources, ok := e.Expansions[category]
	return resources, ok
}

// ExpandWithContext looks the category up.
func (e SimpleCategoryExpander) ExpandWithContext(_ context.Context, category string) ([]schema.GroupResource, bool) {
	return e.Expand(category)
}

// NewDiscoveryCategoryExpander is NewDiscoveryCategoryExpanderWithContext for clients without contexts.
func NewDiscoveryCategoryExpander(client discovery.DiscoveryInterface) CategoryExpander {
	return newDiscoveredCategories(discovery.ToDiscoveryInterfaceWithContext(client))
}

// NewDiscoveryCategoryExpanderWithContext returns an expander for the categories in discovery. It calls the client each time: use
// one with a cache. Groups that cannot be read have no categories.
func NewDiscoveryCategoryExpanderWithContext(client discovery.DiscoveryInterfaceWithContext) CategoryExpanderWithContext {
	return newDiscoveredCategories(client)
}

func newDiscoveredCategories(client discovery.DiscoveryInterfaceWithContext) discoveredCategories {
	if client == nil {
		panic("restmapper: a category expander needs a discovery client, got nil")
	}
	return discoveredCategories{client}
}

type discoveredCategories struct {
	client discovery.DiscoveryInterfaceWithContext
}

func (e discoveredCategories) Expand(category string) ([]schema.GroupResource, bool) {
	return e.ExpandWithContext(context.Background(), category)
}

func (e discoveredCategories) ExpandWithContext(ctx context.Context, category string) ([]schema.GroupResource, bool) {
	_, lists, _ := e.client.ServerGroupsAndResourcesWithContext(ctx)
	var found []schema.GroupResource
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue
		}
		for i := range list.APIResources {
			r := &list.APIResources[i]
			resource := schema.GroupResource{Group: gv.Group, Resource: r.Name}
			if slices.Contains(r.Categories, category) && !slices.Contains(found, resource) {
				found = append(found, resource)
			}
		}
	}
	return found, len(found) > 0
}

// UnionCategoryExpander is [UnionCategoryExpanderWithContext] without contexts.
type UnionCategoryExpander []CategoryExpander

// Expand asks all the expanders.
func (u UnionCategoryExpander) Expand(category string) ([]schema.GroupResource, bool) {
	all := make(UnionCategoryExpanderWithContext, 0, len(u))
	for _, e := range u {
		all = append(all, ToCategoryExpanderWithContext(e))
	}
	return all.ExpandWithContext(context.Background(), category)
}

// UnionCategoryExpanderWithContext asks several expanders, and returns each resource once.
type UnionCategoryExpanderWithContext []CategoryExpanderWithContext

// ExpandWithContext asks all the expanders. It is true if one of them knows the category.
func (u UnionCategoryExpanderWithContext) ExpandWithContext(ctx context.Context, category string) ([]schema.GroupResource, bool) {
	union, known := []schema.GroupResource{}, false
	for _, e := range u {
		resources, ok := e.ExpandWithContext(ctx, category)
		known = known || ok
		for _, r := range resources {
			if !slices.Contains(union, r) {
				union = append(union, r)
			}
		}
	}
	return union, known
}

package restmapper

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/discovery"
)

// DeferredDiscoveryRESTMapper is a meta.RESTMapper and a meta.RESTMapperWithContext that reads everything the server serves
// when it is first asked, and keeps it. It looks again after Reset; and, when something is missing and the cache behind it
// is not fresh, once by itself.
type DeferredDiscoveryRESTMapper struct {
	mapper
}

// NewDeferredDiscoveryRESTMapper returns a mapper of what cl reads.
func NewDeferredDiscoveryRESTMapper(cl discovery.CachedDiscoveryInterface) *DeferredDiscoveryRESTMapper {
	return NewDeferredDiscoveryRESTMapperWithContext(discovery.ToCachedDiscoveryInterfaceWithContext(cl))
}

// NewDeferredDiscoveryRESTMapperWithContext returns a mapper of what cl reads.
func NewDeferredDiscoveryRESTMapperWithContext(cl discovery.CachedDiscoveryInterfaceWithContext) *DeferredDiscoveryRESTMapper {
	if cl == nil {
		panic("restmapper: a DeferredDiscoveryRESTMapper needs a discovery client to read from, got nil")
	}
	return &DeferredDiscoveryRESTMapper{mapper{&deferred{client: cl, turn: make(chan struct{}, 1)}}}
}

type deferred struct {
	client discovery.CachedDiscoveryInterfaceWithContext
	turn   chan struct{} // a lock whose wait ends with the context
	// current is nil before it is read. Held with turn.
	current meta.RESTMapperWithContext
}

func (d *deferred) ResetWithContext(ctx context.Context) {
	d.turn <- struct{}{} // the holder is reading what Reset discards
	defer func() { <-d.turn }()
	d.client.InvalidateWithContext(ctx)
	d.current = nil
}

// get returns the current mapper, and reads a new one if there is none or only the one that did not do.
func (d *deferred) get(ctx context.Context, poor meta.RESTMapperWithContext) (meta.RESTMapperWithContext, error) {
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if d.current != nil && d.current != poor {
		return d.current, nil
	}
	if d.current != nil {
		d.client.InvalidateWithContext(ctx)
		d.current = nil
	}
	groups, err := GetAPIGroupResourcesWithContext(ctx, d.client)
	if err != nil {
		return nil, err
	}
	d.current = newPriorityMapper(groups)
	return d.current, nil
}

// answer puts a question to the current mapper, and to a new one if that may know more.
func answer[T any](ctx context.Context, d *deferred, question func(meta.RESTMapperWithContext) (T, error)) (T, error) {
	var none T
	m, err := d.get(ctx, nil)
	if err != nil {
		return none, err
	}
	result, err := question(m)
	if err == nil || d.client.FreshWithContext(ctx) {
		return result, err
	}
	if m, err = d.get(ctx, m); err != nil {
		return none, err
	}
	return question(m)
}

func (d *deferred) KindForWithContext(ctx context.Context, resource schema.GroupVersionResource) (schema.GroupVersionKind, error) {
	return answer(ctx, d, func(m meta.RESTMapperWithContext) (schema.GroupVersionKind, error) {
		return m.KindForWithContext(ctx, resource)
	})
}

func (d *deferred) KindsForWithContext(ctx context.Context, resource schema.GroupVersionResource) ([]schema.GroupVersionKind, error) {
	return answer(ctx, d, func(m meta.RESTMapperWithContext) ([]schema.GroupVersionKind, error) {
		return m.KindsForWithContext(ctx, resource)
	})
}

func (d *deferred) ResourceForWithContext(ctx context.Context, input schema.GroupVersionResource) (schema.GroupVersionResource, error) {
	return answer(ctx, d, func(m meta.RESTMapperWithContext) (schema.GroupVersionResource, error) {
		return m.ResourceForWithContext(ctx, input)
	})
}

func (d *deferred) ResourcesForWithContext(ctx context.Context, input schema.GroupVersionResource) ([]schema.GroupVersionResource, error) {
	return answer(ctx, d, func(m meta.RESTMapperWithContext) ([]schema.GroupVersionResource, error) {
		return m.ResourcesForWithContext(ctx, input)
	})
}

func (d *deferred) RESTMappingWithContext(ctx context.Context, gk schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	return answer(ctx, d, func(m meta.RESTMapperWithContext) (*meta.RESTMapping, error) {
		return m.RESTMappingWithContext(ctx, gk, versions...)
	})
}

func (d *deferred) RESTMappingsWithContext(ctx context.Context, gk schema.GroupKind, versions ...string) ([]*meta.RESTMapping, error) {
	return answer(ctx, d, func(m meta.RESTMapperWithContext) ([]*meta.RESTMapping, error) {
		return m.RESTMappingsWithContext(ctx, gk, versions...)
	})
}

func (d *deferred) ResourceSingularizerWithContext(ctx context.Context, resource string) (string, error) {
	return answer(ctx, d, func(m meta.RESTMapperWithContext) (string, error) {
		return m.ResourceSingularizerWithContext(ctx, resource)
	})
}

func (d *deferred) String() string {
	m, err := d.get(context.Background(), nil)
	if err != nil {
		return fmt.Sprintf("DeferredDiscoveryRESTMapper{%v}", err)
	}
	return fmt.Sprintf("DeferredDiscoveryRESTMapper{\n\t%v\n}", m)
}

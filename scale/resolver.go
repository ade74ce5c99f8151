package scale

import (
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/discovery"
)

// ScaleKindResolver returns the kind of the scale of a resource.
type ScaleKindResolver interface {
	ScaleForResource(resource schema.GroupVersionResource) (scaleVersion schema.GroupVersionKind, err error)
}

// NewDiscoveryScaleKindResolver returns a ScaleKindResolver that asks the server, once for each resource.
func NewDiscoveryScaleKindResolver(client discovery.ServerResourcesInterface) ScaleKindResolver {
	return &resolver{client: client, known: map[schema.GroupVersionResource]schema.GroupVersionKind{}}
}

type resolver struct {
	client discovery.ServerResourcesInterface
	mu     sync.Mutex // guards known
	known  map[schema.GroupVersionResource]schema.GroupVersionKind
}

// ScaleForResource implements ScaleKindResolver.
func (r *resolver) ScaleForResource(resource schema.GroupVersionResource) (schema.GroupVersionKind, error) {
	r.mu.Lock()
	kind, ok := r.known[resource]
	r.mu.Unlock()
	if ok {
		return kind, nil
	}
	kind, err := r.ask(resource)
	if err != nil {
		return kind, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known[resource] = kind
	return kind, nil
}

func (r *resolver) ask(resource schema.GroupVersionResource) (schema.GroupVersionKind, error) {
	list, err := r.client.ServerResourcesForGroupVersion(resource.GroupVersion().String())
	if err != nil {
		return schema.GroupVersionKind{}, fmt.Errorf("discovery of %s: %w", resource.GroupVersion(), err)
	}
	for _, found := range list.APIResources {
		if found.Name != resource.Resource+"/scale" {
			continue
		}
		version := resource.GroupVersion()
		if found.Group != "" && found.Version != "" {
			version = schema.GroupVersion{Group: found.Group, Version: found.Version}
		}
		return version.WithKind(found.Kind), nil
	}
	return schema.GroupVersionKind{}, fmt.Errorf("the server has no scale of %s", resource)
}

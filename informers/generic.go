package informers

import (
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/cache"
	"vedette.dev/informers/pool"
)

// GenericInformer is an informer of any kind, and a lister that reads from it.
type GenericInformer = pool.GenericInformer

// informed is implemented by the informers of all kinds.
type informed interface {
	Informer() cache.SharedIndexInformer
}

var resources struct {
	once  sync.Once
	known map[schema.GroupVersionResource]func(f *Factory) informed
}

// ForResource returns the informer of a built-in resource. It is an error if there is none: see dynamicinformer for all
// others.
func (f *Factory) ForResource(resource schema.GroupVersionResource) (GenericInformer, error) {
	resources.once.Do(func() { resources.known = newResources() })
	find, ok := resources.known[resource]
	if !ok {
		return nil, fmt.Errorf("no informer found for %v", resource)
	}
	return pool.NewGenericInformer(find(f).Informer(), resource.GroupResource()), nil
}

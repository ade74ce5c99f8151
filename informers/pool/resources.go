package pool

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/cache"
)

// ResourcesConfig says how the informers of Resources are to be. Source and Example are needed.
type ResourcesConfig struct {
	// Source is where the objects of a resource come from, in one namespace or, if that is empty, in all.
	Source func(resource schema.GroupVersionResource, namespace string) cache.ListerWatcher
	// Example is of the type of all objects.
	Example runtime.Object
	// Resync is how often handlers are told of all objects again. Zero means never.
	Resync time.Duration
	// Namespace is the one to look at. Empty means all.
	Namespace string
	// Namespaces, if it is not nil, are those to look at in place of Namespace. SetNamespaces can change it. Resources that
	// live in no namespace cannot be looked at then.
	Namespaces []string
	// Transform changes every object before it is stored. It may be nil.
	Transform cache.TransformFunc
	// Informers is what else there is to say about each informer. ResyncPeriod, Indexers and ObjectDescription are ignored.
	Informers cache.SharedIndexInformerOptions
	// StorageOf is how objects of some resources are kept, in place of Informers.Storage.
	StorageOf map[schema.GroupVersionResource]cache.Storage
}

func (c *ResourcesConfig) validate() error {
	switch {
	case c.Source == nil:
		return errors.New("pool: ResourcesConfig.Source is nil")
	case c.Example == nil:
		return errors.New("pool: ResourcesConfig.Example is nil")
	case c.Resync < 0:
		return fmt.Errorf("pool: ResourcesConfig.Resync is %v, want 0 or more", c.Resync)
	case c.storageError() != nil:
		return fmt.Errorf("pool: ResourcesConfig: %w", c.storageError())
	case c.Namespace != "" && c.Namespaces != nil:
		return errors.New("pool: ResourcesConfig has both Namespace and Namespaces")
	}
	return nil
}

// Resources shares an informer for each resource that is asked for. The factories for dynamic and for metadata informers
// are it.
type Resources struct {
	// Pool has the informers. Its Start, StartWithContext, Shutdown, WaitForCacheSync, Release, Drop, State, HealthCheck and
	// SetNamespaces are those of the factory.
	*Pool[schema.GroupVersionResource]
	config *ResourcesConfig
}

// NewResources makes a factory of informers by resource.
func NewResources(config ResourcesConfig) (*Resources, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	p, err := New[schema.GroupVersionResource](Config{Namespaces: config.Namespaces})
	if err != nil {
		return nil, err
	}
	return &Resources{p, &config}, nil
}

// Lease returns a factory that shares its informers with this one, and can let them go by itself: see Release.
func (r *Resources) Lease() *Resources { return &Resources{r.Pool.Lease(), r.config} }

// ForResource returns the informer of a resource, and has it started at the next start. Whether the server serves it will
// show then: see State.
func (r *Resources) ForResource(resource schema.GroupVersionResource) GenericInformer {
	informer := r.Get(resource, func() cache.SharedIndexInformer { return r.create(resource) })
	return NewGenericInformer(informer, resource.GroupResource())
}

func (r *Resources) create(resource schema.GroupVersionResource) cache.SharedIndexInformer {
	informer := r.newInformer(resource)
	if r.config.Transform != nil {
		if err := informer.SetTransform(r.config.Transform); err != nil {
			panic(fmt.Sprintf("pool: the transform of a new informer cannot be set: %v", err))
		}
	}
	return informer
}

func (c *ResourcesConfig) storageError() error {
	t := reflect.TypeOf(c.Example)
	for resource, storage := range c.StorageOf {
		if err := storage.Validate(t); err != nil {
			return fmt.Errorf("StorageOf[%v]: %w", resource, err)
		}
	}
	return c.Informers.Storage.Validate(t)
}

func (r *Resources) newInformer(resource schema.GroupVersionResource) cache.SharedIndexInformer {
	source := func(namespace string) cache.ListerWatcher { return r.config.Source(resource, namespace) }
	options := r.config.Informers
	options.ResyncPeriod = r.config.Resync
	options.Indexers = cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	options.ObjectDescription = resource.String()
	if storage, ok := r.config.StorageOf[resource]; ok {
		options.Storage = storage
	}
	if namespaces := r.Namespaces(); namespaces != nil {
		return cache.NewNamespacedInformer(source, r.config.Example, namespaces, options)
	}
	return cache.NewSharedIndexInformerWithOptions(source(r.config.Namespace), r.config.Example, options)
}

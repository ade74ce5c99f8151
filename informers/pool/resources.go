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

// ResourcesConfig configures Resources. Source and Example are required.
type ResourcesConfig struct {
	// Source returns the source of the objects of a resource, in one namespace or, if that is empty, in all.
	Source func(resource schema.GroupVersionResource, namespace string) cache.ListerWatcher
	// Example is an object of the type of all objects.
	Example runtime.Object
	// Resync is the period after which handlers receive updates of all objects. Zero means never.
	Resync time.Duration
	// Namespace is the namespace to watch. Empty means all.
	Namespace string
	// Namespaces, if it is not nil, replaces Namespace. SetNamespaces can change it. Cluster-scoped resources cannot be
	// watched then.
	Namespaces []string
	// Transform changes every object before it is stored. It may be nil.
	Transform cache.TransformFunc
	// Informers has the other options of each informer. ResyncPeriod, Indexers and ObjectDescription are ignored.
	Informers cache.SharedIndexInformerOptions
	// StorageOf is the storage of some resources, in place of Informers.Storage.
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

// Resources is a factory of informers by resource. It implements the factories for dynamic and for metadata informers.
type Resources struct {
	// Pool has the informers. Its Start, StartWithContext, Shutdown, WaitForCacheSync, Release, Drop, State, HealthCheck and
	// SetNamespaces are those of the factory.
	*Pool[schema.GroupVersionResource]
	config *ResourcesConfig
}

// NewResources returns a factory of informers by resource.
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

// Lease returns a factory that shares its informers with this one, and can release them separately: see Release.
func (r *Resources) Lease() *Resources { return &Resources{r.Pool.Lease(), r.config} }

// ForResource returns the informer of a resource. The next start starts it. If the server does not serve the resource, State
// has the error.
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

package informers

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
	"vedette.dev/informers/internalinterfaces"
	"vedette.dev/kubernetes"
)

// Config configures a factory. Only Client is required.
type Config struct {
	// Client reads from the server.
	Client kubernetes.Interface
	// Resync is the resync period of handlers. Zero means never.
	Resync time.Duration
	// ResyncOf is the resync period of some types in place of Resync, by the type of the pointer to an object.
	ResyncOf map[reflect.Type]time.Duration
	// Namespaces are the namespaces to watch. Nil means all, permanently; otherwise SetNamespaces can change it.
	// Cluster-scoped kinds are watched in any case.
	Namespaces []string
	// TweakListOptions modifies the options of each list and watch. It may be nil.
	TweakListOptions internalinterfaces.TweakListOptionsFunc
	// Transform transforms every object before it is stored. It may be nil.
	Transform cache.TransformFunc
	// Name is the name of the informers in metrics. Nil means no metrics.
	Name *cache.InformerName
	// Informers has other options of each informer: its logger, its metrics, how many changes may be pending.
	// ResyncPeriod, Indexers and Identifier are ignored.
	Informers cache.SharedIndexInformerOptions

	// StorageOf configures the storage of some types, in place of Informers.Storage, by the type of the pointer to an
	// object.
	StorageOf map[reflect.Type]cache.Storage

	// namespace is set by WithNamespace: the only namespace, permanently.
	namespace string
}

func (c *Config) validate() error {
	switch {
	case c.Client == nil:
		return errors.New("informers: Config.Client is nil")
	case c.Resync < 0:
		return fmt.Errorf("informers: Config.Resync is %v, want 0 or more", c.Resync)
	}
	for t, storage := range c.StorageOf {
		if err := storage.Validate(t); err != nil {
			return fmt.Errorf("informers: Config.StorageOf[%v]: %w", t, err)
		}
	}
	for t, period := range c.ResyncOf {
		if period < 0 {
			return fmt.Errorf("informers: Config.ResyncOf[%v] is %v, want 0 or more", t, period)
		}
	}
	return nil
}

// SharedInformerOption is an option of NewSharedInformerFactoryWithOptions.
type SharedInformerOption func(*Config)

// WithCustomResyncConfig sets the resync periods of some types.
func WithCustomResyncConfig(resyncConfig map[metav1.Object]time.Duration) SharedInformerOption {
	return func(c *Config) {
		for obj, period := range resyncConfig {
			if c.ResyncOf == nil {
				c.ResyncOf = map[reflect.Type]time.Duration{}
			}
			c.ResyncOf[reflect.TypeOf(obj)] = period
		}
	}
}

// WithTweakListOptions sets a function that modifies the options of each list and watch.
func WithTweakListOptions(tweakListOptions internalinterfaces.TweakListOptionsFunc) SharedInformerOption {
	return func(c *Config) { c.TweakListOptions = tweakListOptions }
}

// WithNamespace limits a factory to one namespace. For a set that can change, see Config.Namespaces.
func WithNamespace(namespace string) SharedInformerOption {
	return func(c *Config) { c.namespace = namespace }
}

// WithTransform transforms every object before it is stored.
func WithTransform(transform cache.TransformFunc) SharedInformerOption {
	return func(c *Config) { c.Transform = transform }
}

// WithStorage configures the storage of some types. It is not in client-go. It panics if the storage is invalid for a
// type.
func WithStorage(storage map[metav1.Object]cache.Storage) SharedInformerOption {
	return func(c *Config) {
		for obj, s := range storage {
			t := reflect.TypeOf(obj)
			if err := s.Validate(t); err != nil {
				panic(fmt.Sprintf("informers: WithStorage of %v: %v", t, err))
			}
			if c.StorageOf == nil {
				c.StorageOf = map[reflect.Type]cache.Storage{}
			}
			c.StorageOf[t] = s
		}
	}
}

// WithInformerName sets the name of the informers in metrics.
func WithInformerName(informerName *cache.InformerName) SharedInformerOption {
	return func(c *Config) { c.Name = informerName }
}

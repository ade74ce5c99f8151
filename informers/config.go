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

// Config says how the informers of a factory are to be. Only Client is needed.
type Config struct {
	// Client reads from the server.
	Client kubernetes.Interface
	// Resync is how often handlers are told of all objects again. Zero means never.
	Resync time.Duration
	// ResyncOf is the resync period of some types in place of Resync, by the type of the pointer to an object.
	ResyncOf map[reflect.Type]time.Duration
	// Namespaces are those to look at. Nil means all, for ever; otherwise SetNamespaces can change it. Kinds that live in no
	// namespace are looked at all the same.
	Namespaces []string
	// TweakListOptions changes the options of each list and watch. It may be nil.
	TweakListOptions internalinterfaces.TweakListOptionsFunc
	// Transform changes every object before it is stored. It may be nil.
	Transform cache.TransformFunc
	// Name is the name under which the informers are counted. Nil means that they are not.
	Name *cache.InformerName
	// Informers is what else there is to say about each informer: its logger, its metrics, how many changes may wait.
	// ResyncPeriod, Indexers and Identifier are ignored.
	Informers cache.SharedIndexInformerOptions

	// StorageOf is how objects of some types are kept, in place of Informers.Storage, by the type of the pointer to an object.
	StorageOf map[reflect.Type]cache.Storage

	// namespace is what WithNamespace says: one namespace, for ever.
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

// SharedInformerOption is one of the things that NewSharedInformerFactoryWithOptions can be told.
type SharedInformerOption func(*Config)

// WithCustomResyncConfig gives some types a resync period of their own.
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

// WithTweakListOptions has a function change the options of each list and watch.
func WithTweakListOptions(tweakListOptions internalinterfaces.TweakListOptionsFunc) SharedInformerOption {
	return func(c *Config) { c.TweakListOptions = tweakListOptions }
}

// WithNamespace limits a factory to one namespace. For a set that can change, see Config.Namespaces.
func WithNamespace(namespace string) SharedInformerOption {
	return func(c *Config) { c.namespace = namespace }
}

// WithTransform has every object changed before it is stored.
func WithTransform(transform cache.TransformFunc) SharedInformerOption {
	return func(c *Config) { c.Transform = transform }
}

// WithStorage says how objects of some types are kept. It is not in client-go. It panics if the storage makes no sense for a type.
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

// WithInformerName has the informers counted under a name.
func WithInformerName(informerName *cache.InformerName) SharedInformerOption {
	return func(c *Config) { c.Name = informerName }
}

package informers

import (
	"fmt"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/cache"
	"vedette.dev/informers/internalinterfaces"
)

func (c *Config) resync(t reflect.Type) time.Duration {
	if period, ok := c.ResyncOf[t]; ok {
		return period
	}
	return c.Resync
}

// setTransform cannot fail for a new informer. One that came from a function of the user's may run already.
func (c *Config) setTransform(informer cache.SharedIndexInformer) {
	if c.Transform == nil {
		return
	}
	if err := informer.SetTransform(c.Transform); err != nil {
		panic(fmt.Sprintf("informers: the transform of the factory cannot be set: %v", err))
	}
}

// Configure applies a Config to the options of an informer that is about to be made.
func (f *Factory) Configure(example runtime.Object, options *internalinterfaces.InformerOptions) {
	options.Namespaces = f.Namespaces()
	options.Cache = f.config.Informers
	if storage, ok := f.config.StorageOf[reflect.TypeOf(example)]; ok {
		options.Cache.Storage = storage
	}
}

package bridge

import (
	"fmt"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientgocache "k8s.io/client-go/tools/cache"

	"vedette.dev/cache"
	"vedette.dev/internal/informername"
)

// NewInformer returns a client-go informer that runs on Vedette. It may be given any ListerWatcher: what that returns is what is stored.
// It panics if the storage does not fit the object, with an error that names the kind; Validate tells beforehand.
//
// It is a function for controller-runtime's cache.Options.NewInformer, too. With vedette.dev/bridge/ctrl, live storage takes less memory.
func NewInformer(lw clientgocache.ListerWatcher, obj runtime.Object, resync time.Duration, indexers clientgocache.Indexers) clientgocache.SharedIndexInformer {
	return Options{}.NewInformer(lw, obj, resync, indexers)
}

// NewInformer is the function NewInformer with options.
func (o Options) NewInformer(lw clientgocache.ListerWatcher, obj runtime.Object, resync time.Duration, indexers clientgocache.Indexers) clientgocache.SharedIndexInformer {
	plain, _ := lw.(*clientgocache.ListWatch)
	return newInformer(decoded(lw, plain), lw, obj, resync, indexers, o)
}

// NewRawInformer returns a client-go informer that runs on Vedette, and reads the bytes that a ListerWatcher is sent where it can. The
// ListerWatcher must be plain: it sends one request with the context that it is given, and returns the answer as it comes. One that
// filters, changes or adds objects would be bypassed: use NewInformer for these.
func (o Options) NewRawInformer(lw clientgocache.ListerWatcher, obj runtime.Object, resync time.Duration, indexers clientgocache.Indexers) clientgocache.SharedIndexInformer {
	return newInformer(raw(lw), lw, obj, resync, indexers, o)
}

// Unwrap returns Vedette's informer behind an informer of this package, or of a client-go that "vedette patch-client-go" has patched: see cache.StateOf, and the packages metrics and console. It
// returns false for all other informers. The typed informers that factories return are unwrapped, too.
func Unwrap(informer clientgocache.SharedInformer) (cache.SharedIndexInformer, bool) {
	switch i := informer.(type) {
	case interface {
		VedetteInformer() cache.SharedIndexInformer
	}:
		return i.VedetteInformer(), true
	case interface {
		Unwrap() clientgocache.SharedIndexInformer
	}:
		return Unwrap(i.Unwrap())
	}
	// client-go's typed informer, which it does not export, is a struct around another.
	if v := reflect.Indirect(reflect.ValueOf(informer)); v.Kind() == reflect.Struct {
		if inner := v.FieldByName("SharedIndexInformer"); inner.IsValid() && inner.CanInterface() {
			if i, ok := inner.Interface().(clientgocache.SharedIndexInformer); ok {
				return Unwrap(i)
			}
		}
	}
	return nil, false
}

func newInformer(lw cache.ListerWatcher, behind clientgocache.ListerWatcher, obj runtime.Object, resync time.Duration, indexers clientgocache.Indexers, o Options) *sharedInformer {
	storage := o.storage(obj)
	if err := storage.Validate(reflect.TypeOf(obj)); err != nil {
		panic(fmt.Errorf("bridge: the storage of %s: %w", informername.OfObject(obj), err))
	}
	engine := cache.NewSharedIndexInformerWithOptions(lw, obj, cache.SharedIndexInformerOptions{
		ResyncPeriod: resync,
		Indexers:     toIndexers(indexers),
		Logger:       o.logger(),
		Storage:      storage,
	})
	if o.Metrics != nil {
		if _, err := o.Metrics.AddInformer(o.MetricsSource, informername.OfObject(obj), engine); err != nil {
			panic(fmt.Errorf("bridge: Options.Metrics: %w", err))
		}
	}
	return adapt(engine, behind, obj, o.handlerOptions())
}

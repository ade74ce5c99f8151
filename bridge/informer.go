package bridge

import (
	"context"
	"fmt"
	"reflect"
	goruntime "runtime"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgocache "k8s.io/client-go/tools/cache"

	"vedette.dev/cache"
)

// NewInformer returns a client-go informer that runs on Vedette. It may be given any ListerWatcher: what that returns is what is stored.
// It panics if the storage does not fit the object; Validate tells beforehand.
//
// It is a function for controller-runtime's cache.Options.NewInformer, too. With vedette.dev/bridge/ctrl, live storage takes less memory.
func NewInformer(lw clientgocache.ListerWatcher, obj runtime.Object, resync time.Duration, indexers clientgocache.Indexers) clientgocache.SharedIndexInformer {
	return Options{}.NewInformer(lw, obj, resync, indexers)
}

// NewInformer is the function NewInformer with options.
func (o Options) NewInformer(lw clientgocache.ListerWatcher, obj runtime.Object, resync time.Duration, indexers clientgocache.Indexers) clientgocache.SharedIndexInformer {
	return newInformer(decoded(lw), lw, obj, resync, indexers, o)
}

// NewRawInformer returns a client-go informer that runs on Vedette, and reads the bytes that a ListerWatcher is sent where it can. The
// ListerWatcher must be plain: it sends one request with the context that it is given, and returns the answer as it comes. One that
// filters, changes or adds objects would be bypassed: use NewInformer for these.
func (o Options) NewRawInformer(lw clientgocache.ListerWatcher, obj runtime.Object, resync time.Duration, indexers clientgocache.Indexers) clientgocache.SharedIndexInformer {
	return newInformer(raw(lw), lw, obj, resync, indexers, o)
}

// Unwrap returns Vedette's informer behind an informer of this package: see cache.StateOf, and the packages metrics and console. It
// returns false for all other informers. The typed informers that factories return are unwrapped, too.
func Unwrap(informer clientgocache.SharedInformer) (cache.SharedIndexInformer, bool) {
	switch i := informer.(type) {
	case *sharedInformer:
		return i.engine, true
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

// sharedInformer is a client-go informer that is made of one of Vedette's.
type sharedInformer struct {
	engine  cache.SharedIndexInformer
	options Options
	store   *store
	// reflector never runs. Watch error handlers are given it for its name.
	reflector func() *clientgocache.Reflector
}

var _ clientgocache.SharedIndexInformer = (*sharedInformer)(nil)

func newInformer(lw cache.ListerWatcher, behind clientgocache.ListerWatcher, obj runtime.Object, resync time.Duration, indexers clientgocache.Indexers, o Options) *sharedInformer {
	engine := cache.NewSharedIndexInformerWithOptions(lw, obj, cache.SharedIndexInformerOptions{
		ResyncPeriod: resync,
		Indexers:     toIndexers(indexers),
		Logger:       o.logger(),
		Storage:      o.storage(obj),
	})
	s := &sharedInformer{engine: engine, options: o}
	s.store = &store{engine.GetIndexer()}
	s.reflector = sync.OnceValue(func() *clientgocache.Reflector {
		state := cache.StateOf(engine)
		options := clientgocache.ReflectorOptions{Name: state.Name, TypeDescription: state.Type}
		return clientgocache.NewReflectorWithOptions(behind, obj, s.store, options)
	})
	_ = s.SetWatchErrorHandlerWithContext(clientgocache.DefaultWatchErrorHandler) // it has not started
	if o.OnInformer != nil {
		o.OnInformer(engine)
	}
	return s
}

func (s *sharedInformer) AddEventHandler(h clientgocache.ResourceEventHandler) (clientgocache.ResourceEventHandlerRegistration, error) {
	return s.add(h, s.options.handlerOptions())
}

func (s *sharedInformer) AddEventHandlerWithResyncPeriod(h clientgocache.ResourceEventHandler, period time.Duration) (clientgocache.ResourceEventHandlerRegistration, error) {
	options := s.options.handlerOptions()
	options.ResyncPeriod = &period
	return s.add(h, options)
}

func (s *sharedInformer) AddEventHandlerWithOptions(h clientgocache.ResourceEventHandler, o clientgocache.HandlerOptions) (clientgocache.ResourceEventHandlerRegistration, error) {
	options := s.options.handlerOptions()
	options.Logger, options.ResyncPeriod = o.Logger, o.ResyncPeriod
	return s.add(h, options)
}

func (s *sharedInformer) add(h clientgocache.ResourceEventHandler, options cache.HandlerOptions) (clientgocache.ResourceEventHandlerRegistration, error) {
	if s.IsStopped() {
		return nil, fmt.Errorf("handler %v was not added to shared informer because it has stopped already", h)
	}
	r, err := s.engine.AddEventHandlerWithOptions(handler{h}, options)
	if err != nil {
		return nil, err
	}
	return registration{r}, nil
}

func (s *sharedInformer) RemoveEventHandler(handle clientgocache.ResourceEventHandlerRegistration) error {
	r, ok := handle.(registration)
	if !ok {
		return fmt.Errorf("invalid key type %T", handle)
	}
	return s.engine.RemoveEventHandler(r.engine)
}

func (s *sharedInformer) GetStore() clientgocache.Store { return s.store }

func (s *sharedInformer) GetIndexer() clientgocache.Indexer { return s.store }

func (s *sharedInformer) GetController() clientgocache.Controller { return idleController{s} }

func (s *sharedInformer) Run(stop <-chan struct{}) { s.RunWithContext(wait.ContextForChannel(stop)) }

func (s *sharedInformer) RunWithContext(ctx context.Context) { s.engine.RunWithContext(ctx) }

func (s *sharedInformer) HasSynced() bool { return s.engine.HasSynced() }

func (s *sharedInformer) HasSyncedChecker() clientgocache.DoneChecker {
	return s.engine.HasSyncedChecker()
}

func (s *sharedInformer) LastSyncResourceVersion() string { return s.engine.LastSyncResourceVersion() }

func (s *sharedInformer) IsStopped() bool { return s.engine.IsStopped() }

func (s *sharedInformer) AddIndexers(indexers clientgocache.Indexers) error {
	return s.engine.AddIndexers(toIndexers(indexers))
}

func (s *sharedInformer) SetWatchErrorHandler(h clientgocache.WatchErrorHandler) error {
	return s.SetWatchErrorHandlerWithContext(func(_ context.Context, r *clientgocache.Reflector, err error) { h(r, err) })
}

func (s *sharedInformer) SetWatchErrorHandlerWithContext(h clientgocache.WatchErrorHandlerWithContext) error {
	return s.engine.SetWatchErrorHandlerWithContext(func(ctx context.Context, _ *cache.Reflector, err error) { h(ctx, s.reflector(), err) })
}

func (s *sharedInformer) SetTransform(f clientgocache.TransformFunc) error {
	if stripsManagedFields(f) {
		return s.engine.SetTransform(cache.StripManagedFields)
	}
	return s.engine.SetTransform(cache.TransformFunc(f))
}

// stripsManagedFields reports whether a function is one that controller-runtime's cache.TransformStripManagedFields has returned. The
// compiler may have put it into the caller, whose name then comes first.
func stripsManagedFields(f clientgocache.TransformFunc) bool {
	if f == nil {
		return false
	}
	pc := reflect.ValueOf(f).Pointer()
	code := goruntime.FuncForPC(pc)
	if code == nil || !strings.HasSuffix(code.Name(), "TransformStripManagedFields.func1") {
		return false
	}
	file, _ := code.FileLine(pc)
	return strings.Contains(file, "controller-runtime") && strings.HasSuffix(file, "/pkg/cache/cache.go")
}

// idleController is what GetController returns: the informer runs by itself.
type idleController struct{ *sharedInformer }

func (idleController) Run(<-chan struct{}) {}

func (idleController) RunWithContext(context.Context) {}

// registration is a handler of an informer.
type registration struct {
	engine cache.ResourceEventHandlerRegistration
}

func (r registration) HasSynced() bool { return r.engine.HasSynced() }

func (r registration) HasSyncedChecker() clientgocache.DoneChecker {
	return r.engine.HasSyncedChecker()
}

// handler gives a client-go handler client-go's types.
type handler struct {
	to clientgocache.ResourceEventHandler
}

// HandlerName is how the handler is called in a State.
func (h handler) HandlerName() string {
	if named, ok := h.to.(interface{ HandlerName() string }); ok {
		return named.HandlerName()
	}
	return fmt.Sprintf("%T", h.to)
}

func (h handler) OnAdd(obj any, isInInitialList bool) { h.to.OnAdd(obj, isInInitialList) }

func (h handler) OnUpdate(oldObj, newObj any) { h.to.OnUpdate(oldObj, newObj) }

func (h handler) OnDelete(obj any) {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = clientgocache.DeletedFinalStateUnknown{Key: gone.Key, Obj: gone.Obj}
	}
	h.to.OnDelete(obj)
}

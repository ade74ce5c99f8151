package bridge

// This file, store.go, listwatch.go and package capture are also what "vedette patch-client-go" puts into a copy of client-go.

import (
	"context"
	"fmt"
	"reflect"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgocache "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"vedette.dev/cache"
)

// sharedInformer is a client-go informer that is made of one of Vedette's.
type sharedInformer struct {
	engine  cache.SharedIndexInformer
	options cache.HandlerOptions // of handlers
	store   *store
	// reflector never runs. Watch error handlers are given it for its name.
	reflector func() *clientgocache.Reflector
	// logging is a context with the logger of the informer, nil before it runs.
	logging atomic.Pointer[context.Context]
}

var _ clientgocache.SharedIndexInformer = (*sharedInformer)(nil)

// adapt returns an informer of Vedette as one of client-go. lw is what it lists and watches.
func adapt(engine cache.SharedIndexInformer, lw clientgocache.ListerWatcher, obj runtime.Object, options cache.HandlerOptions) *sharedInformer {
	s := &sharedInformer{engine: engine, options: options, store: &store{engine.GetIndexer()}}
	s.reflector = sync.OnceValue(func() *clientgocache.Reflector {
		state := cache.StateOf(engine)
		options := clientgocache.ReflectorOptions{Name: state.Name, TypeDescription: state.Type}
		return clientgocache.NewReflectorWithOptions(lw, obj, s.store, options)
	})
	_ = s.SetWatchErrorHandlerWithContext(clientgocache.DefaultWatchErrorHandler) // it has not started
	return s
}

// VedetteInformer returns the informer behind; bridge.Unwrap calls it.
func (s *sharedInformer) VedetteInformer() cache.SharedIndexInformer { return s.engine }

func (s *sharedInformer) AddEventHandler(h clientgocache.ResourceEventHandler) (clientgocache.ResourceEventHandlerRegistration, error) {
	return s.add(h, s.options)
}

func (s *sharedInformer) AddEventHandlerWithResyncPeriod(h clientgocache.ResourceEventHandler, period time.Duration) (clientgocache.ResourceEventHandlerRegistration, error) {
	options := s.options
	options.ResyncPeriod = &period
	return s.add(h, options)
}

func (s *sharedInformer) AddEventHandlerWithOptions(h clientgocache.ResourceEventHandler, o clientgocache.HandlerOptions) (clientgocache.ResourceEventHandlerRegistration, error) {
	options := s.options
	options.Logger, options.ResyncPeriod = o.Logger, o.ResyncPeriod
	return s.add(h, options)
}

func (s *sharedInformer) add(h clientgocache.ResourceEventHandler, options cache.HandlerOptions) (clientgocache.ResourceEventHandlerRegistration, error) {
	if s.IsStopped() {
		return nil, fmt.Errorf("handler %v was not added to shared informer because it has stopped already", h)
	}
	wrapped := handler{to: h, informer: s, crashes: options.OnPanic == cache.PanicFatal}
	if options.Logger != nil {
		wrapped.logging = klog.NewContext(context.Background(), *options.Logger)
	}
	r, err := s.engine.AddEventHandlerWithOptions(wrapped, options)
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

// RunWithContext logs to klog if the context has no logger, as client-go does.
func (s *sharedInformer) RunWithContext(ctx context.Context) {
	ctx = klog.NewContext(ctx, klog.FromContext(ctx))
	s.logging.Store(&ctx)
	s.engine.RunWithContext(ctx)
}

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

// ShutdownChan returns a channel that is closed when the handler has been called for the last time; client-go's ShutDownEventHandler waits
// for it.
func (r registration) ShutdownChan() <-chan struct{} {
	if ending, ok := r.engine.(interface{ ShutdownChan() <-chan struct{} }); ok {
		return ending.ShutdownChan()
	}
	return nil
}

// handler gives a client-go handler client-go's types.
type handler struct {
	to       clientgocache.ResourceEventHandler
	informer *sharedInformer
	// crashes says that panics are treated as client-go does: the crash handlers of apimachinery are called, and then the process ends,
	// unless a test has set ReallyCrash to false.
	crashes bool
	// logging is a context with the logger of the handler, nil if it has none.
	logging context.Context
}

// HandlerName is how the handler is called in a State.
func (h handler) HandlerName() string {
	if named, ok := h.to.(interface{ HandlerName() string }); ok {
		return named.HandlerName()
	}
	return fmt.Sprintf("%T", h.to)
}

func (h handler) OnAdd(obj any, isInInitialList bool) {
	if h.crashes {
		returned := false
		defer pauseUnless(&returned)
		defer utilruntime.HandleCrashWithContext(h.context())
		h.to.OnAdd(obj, isInInitialList)
		returned = true
		return
	}
	h.to.OnAdd(obj, isInInitialList)
}

func (h handler) OnUpdate(oldObj, newObj any) {
	if h.crashes {
		returned := false
		defer pauseUnless(&returned)
		defer utilruntime.HandleCrashWithContext(h.context())
		h.to.OnUpdate(oldObj, newObj)
		returned = true
		return
	}
	h.to.OnUpdate(oldObj, newObj)
}

func (h handler) OnDelete(obj any) {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = clientgocache.DeletedFinalStateUnknown{Key: gone.Key, Obj: gone.Obj}
	}
	if h.crashes {
		returned := false
		defer pauseUnless(&returned)
		defer utilruntime.HandleCrashWithContext(h.context())
		h.to.OnDelete(obj)
		returned = true
		return
	}
	h.to.OnDelete(obj)
}

// context returns a context with the logger for panics.
func (h handler) context() context.Context {
	if h.logging != nil {
		return h.logging
	}
	if ctx := h.informer.logging.Load(); ctx != nil {
		return *ctx
	}
	return context.Background()
}

// pauseUnless waits for a second after a panic that has not ended the process, as client-go does.
func pauseUnless(returned *bool) {
	if !*returned && !utilruntime.ReallyCrash {
		time.Sleep(time.Second)
	}
}

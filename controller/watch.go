package controller

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"vedette.dev/cache"
)

// For returns a source that enqueues the names of an informer's objects. Events that a predicate rejects are ignored.
func For[T cache.Object](informer cache.TypedSharedIndexInformer[T], predicates ...Predicate[T]) Source[cache.ObjectName] {
	return &watch[T, cache.ObjectName]{
		relation: "for",
		informer: informer,
		passes:   predicates,
		own:      true,
		cheap:    true,
		keys:     func(e Event[T], keys []cache.ObjectName) []cache.ObjectName { return append(keys, e.Name) },
		find:     func(key cache.ObjectName) string { return key.String() },
	}
}

// Owner is a kind that owns objects of another kind.
type Owner struct {
	// Group and Kind are those of the owner: "apps" and "Deployment". The version does not matter.
	Group, Kind string
	// ClusterScoped means that owners have no namespace. Otherwise they are in the namespace of the objects that they
	// own.
	ClusterScoped bool
	// Any means that every owner of the kind is enqueued, not only the one that is the controller of the object.
	Any bool
}

// Owns returns a source that enqueues the owners of an informer's objects. When the owner of an object changes, both
// are enqueued.
func Owns[T MetaObject](informer cache.TypedSharedIndexInformer[T], owner Owner, predicates ...Predicate[T]) Source[cache.ObjectName] {
	return &watch[T, cache.ObjectName]{
		relation: "owned by " + owner.Kind + ":",
		informer: informer,
		passes:   predicates,
		cheap:    true,
		keys: func(e Event[T], keys []cache.ObjectName) []cache.ObjectName {
			return eachState(e, keys, owner.of)
		},
	}
}

// of appends the names of the owners of obj. It takes an interface so that it is compiled once.
func (o Owner) of(obj metav1.Object, keys []cache.ObjectName) []cache.ObjectName {
	for _, ref := range obj.GetOwnerReferences() {
		group, _, ok := strings.Cut(ref.APIVersion, "/")
		if !ok {
			group = ""
		}
		if ref.Kind != o.Kind || group != o.Group || !o.Any && (ref.Controller == nil || !*ref.Controller) {
			continue
		}
		key := cache.ObjectName{Name: ref.Name}
		if !o.ClusterScoped {
			key.Namespace = obj.GetNamespace()
		}
		keys = appendNew(keys, key)
	}
	return keys
}

// eachState appends the keys of both states of an update.
func eachState[T MetaObject, K comparable](e Event[T], keys []K, of func(metav1.Object, []K) []K) []K {
	var none T
	if e.Old != none {
		keys = of(e.Old, keys)
	}
	if e.Object != none {
		keys = of(e.Object, keys)
	}
	return keys
}

// Watches returns a source that enqueues the keys that a function returns for the objects of an informer: none, one or
// more. After an update it is called for the old state and for the new one. The function must not modify the object.
func Watches[T cache.Object, K comparable](informer cache.TypedSharedIndexInformer[T], keys func(obj T) []K, predicates ...Predicate[T]) Source[K] {
	if keys == nil {
		panic("controller: Watches needs a function that returns keys")
	}
	return &watch[T, K]{
		relation: "mapped from",
		informer: informer,
		passes:   predicates,
		keys: func(e Event[T], all []K) []K {
			var none T
			for _, obj := range [...]T{e.Old, e.Object} {
				if obj != none {
					for _, key := range keys(obj) {
						all = appendNew(all, key)
					}
				}
			}
			return all
		},
	}
}

func appendNew[K comparable](keys []K, key K) []K {
	if slices.Contains(keys, key) {
		return keys
	}
	return append(keys, key)
}

// watch is an event handler of an informer.
type watch[T cache.Object, K comparable] struct {
	relation string
	informer cache.TypedSharedIndexInformer[T]
	passes   []Predicate[T]
	// keys appends the keys of an event.
	keys func(e Event[T], keys []K) []K
	// own means that keys are the names of the objects, and that find returns the store key of one. cheap means that
	// keys may be called just for the records.
	own, cheap bool
	find       func(key K) string

	ran      atomic.Bool
	enqueuer Enqueuer[K]
	// handle is the *cache.ResourceEventHandlerRegistration, nil before the handler was added.
	handle atomic.Pointer[cache.ResourceEventHandlerRegistration]
	// room is reused for keys. The handler is called by one goroutine at a time.
	room []K
}

func (w *watch[T, K]) String() string {
	return fmt.Sprintf("%s %s", w.relation, strings.TrimPrefix(reflect.TypeFor[T]().String(), "*"))
}

// Run implements Source. It does not run the informer.
func (w *watch[T, K]) Run(ctx context.Context, enqueuer Enqueuer[K], ready func()) error {
	if w.informer == nil {
		return fmt.Errorf("source %s has no informer", w)
	}
	if w.ran.Swap(true) {
		return fmt.Errorf("source %s has already been run, maybe by another controller; create one for each", w)
	}
	w.enqueuer = enqueuer
	options := cache.HandlerOptions{OnPanic: cache.PanicRetry}
	if w.own {
		options.OnPanic = cache.PanicSkip // see event
	}
	registration, err := w.register(options)
	if err != nil {
		return fmt.Errorf("source %s: %w", w, err)
	}
	w.handle.Store(&registration)
	var gone <-chan struct{}
	if r, ok := registration.(interface{ ShutdownChan() <-chan struct{} }); ok {
		gone = r.ShutdownChan()
	}
	select {
	case <-registration.HasSyncedChecker().Done():
		ready()
		select {
		case <-ctx.Done():
		case <-gone:
		}
	case <-ctx.Done():
	case <-gone:
	}
	if ctx.Err() == nil {
		return fmt.Errorf("source %s receives no more events: its informer has stopped, or a predicate or mapping function called runtime.Goexit", w)
	}
	return cache.ShutDownEventHandler(w.informer, registration)
}

// register adds the event handler. If neither predicates nor mapping functions need the objects, they are not decoded.
func (w *watch[T, K]) register(options cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	if w.own && len(w.passes) == 0 {
		return w.informer.AddEventHandlerWithOptions(lazyWatch[T, K]{w.onLazyEvent, w}, options)
	}
	return w.informer.AddTypedEventHandler(w, options)
}

// lazyWatch is a handler that has the name of its source.
type lazyWatch[T cache.Object, K comparable] struct {
	cache.LazyEventHandlerFunc
	source *watch[T, K]
}

// HandlerName returns the name of the handler in states.
func (l lazyWatch[T, K]) HandlerName() string { return "controller, " + l.source.String() }

// onLazyEvent does what OnAdd, OnUpdate and OnDelete do, without the objects.
func (w *watch[T, K]) onLazyEvent(e cache.LazyEvent) {
	reason := Added
	switch {
	case e.Initial:
		reason = Initial
	case e.Resync():
		reason = Resynced
	case e.Type == apiwatch.Modified:
		reason = Updated
	case e.Type == apiwatch.Deleted:
		reason = Deleted
	}
	w.event(Event[T]{Reason: reason, Name: e.Name()})
}

// OnAdd implements cache.TypedResourceEventHandler.
func (w *watch[T, K]) OnAdd(obj T, isInInitialList bool) {
	reason := Added
	if isInInitialList {
		reason = Initial
	}
	w.event(Event[T]{Reason: reason, Object: obj, Name: nameOf(obj)})
}

// OnUpdate implements cache.TypedResourceEventHandler.
func (w *watch[T, K]) OnUpdate(oldObj, newObj T) {
	e := Event[T]{Reason: Updated, Object: newObj, Old: oldObj, Name: nameOf(newObj)}
	if oldObj == newObj {
		var none T
		e.Reason, e.Old = Resynced, none
	}
	w.event(e)
}

// OnDelete implements cache.TypedResourceEventHandler.
func (w *watch[T, K]) OnDelete(obj cache.DeletedObject[T]) {
	w.event(Event[T]{Reason: Deleted, Object: obj.OptionalObj, Name: obj.GetObjectName()})
}

func nameOf[T cache.Object](obj T) cache.ObjectName {
	return cache.ObjectName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

func (w *watch[T, K]) event(e Event[T]) {
	// After a panic of a predicate the key is enqueued, if it is known, so that no event is lost. The informer counts
	// and reports the panic.
	decided := !w.own
	defer func() {
		if !decided {
			w.enqueuer.Add(w.keysOf(e)[0], e.Reason)
		}
	}()
	w.decide(e)
	decided = true
}

func (w *watch[T, K]) decide(e Event[T]) {
	for _, passes := range w.passes {
		if !passes(e) {
			w.leaveOut(e)
			return
		}
	}
	for _, key := range w.keysOf(e) {
		w.enqueuer.Add(key, e.Reason)
	}
}

func (w *watch[T, K]) leaveOut(e Event[T]) {
	if !w.cheap {
		return
	}
	for _, key := range w.keysOf(e) {
		w.enqueuer.Filtered(key, e.Reason)
	}
}

func (w *watch[T, K]) keysOf(e Event[T]) []K {
	keys := w.keys(e, w.room[:0])
	w.room = keys[:0]
	return keys
}

// Observe implements Observer.
func (w *watch[T, K]) Observe(key K) Observation {
	o := Observation{Unknown: !w.own}
	if w.informer == nil {
		return o
	}
	o.Informer = cache.StateOf(w.informer)
	if handle := w.handle.Load(); handle != nil {
		o.Handler = cache.HandlerStateOf(*handle)
	}
	if w.own {
		if obj, ok, err := w.informer.GetStore().GetByKey(w.find(key)); ok && err == nil {
			o.Cached = true
			if meta, ok := obj.(metav1.Object); ok {
				o.ResourceVersion = meta.GetResourceVersion()
			}
		}
	}
	return o
}

// objects returns the number of objects in the informer, for the size of the records.
func (w *watch[T, K]) objects() int {
	if w.informer == nil {
		return 0
	}
	return cache.StateOf(w.informer).Objects
}

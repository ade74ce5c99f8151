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

// For is a source of the objects of an informer: the key is their name. Events that a predicate does not pass are left out.
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

// Owner is a kind that owns objects of another.
type Owner struct {
	// Group and Kind are those of the owner: "apps" and "Deployment". The version does not matter.
	Group, Kind string
	// ClusterScoped says that owners have no namespace. Otherwise they are in that of what they own.
	ClusterScoped bool
	// Any says that every owner of the kind is asked for, not only the one that is the controller of the object.
	Any bool
}

// Owns is a source of the objects of an informer that belong to others: the key is the name of the owner. When an object goes
// from one owner to another, both are asked for.
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

// of adds the names of the owners of an object. (It takes the interface, so that it is compiled once.)
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

// eachState collects the keys of both states of an update.
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

// Watches is a source of the objects of an informer, whose keys are what a function makes of an object: none, one or more. After
// an update it is asked about the old state and about the new one. Neither the function nor anyone else may change the object.
func Watches[T cache.Object, K comparable](informer cache.TypedSharedIndexInformer[T], keys func(obj T) []K, predicates ...Predicate[T]) Source[K] {
	if keys == nil {
		panic("controller: Watches was given no function that makes keys")
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

// watch is a handler of an informer.
type watch[T cache.Object, K comparable] struct {
	relation string
	informer cache.TypedSharedIndexInformer[T]
	passes   []Predicate[T]
	// keys adds the keys that an event asks for.
	keys func(e Event[T], keys []K) []K
	// own says that keys are the names of the objects themselves, and find makes the key of the store of them. cheap, that keys
	// may be called for the records alone.
	own, cheap bool
	find       func(key K) string

	ran   atomic.Bool
	inlet Inlet[K]
	// handle is the *cache.ResourceEventHandlerRegistration, nil before it was registered.
	handle atomic.Pointer[cache.ResourceEventHandlerRegistration]
	// room is for keys. The handler is called by one goroutine at a time.
	room []K
}

func (w *watch[T, K]) String() string {
	return fmt.Sprintf("%s %s", w.relation, strings.TrimPrefix(reflect.TypeFor[T]().String(), "*"))
}

// Run implements Source. The informer is run by somebody else.
func (w *watch[T, K]) Run(ctx context.Context, inlet Inlet[K], ready func()) error {
	if w.informer == nil {
		return fmt.Errorf("the source %s has no informer", w)
	}
	if w.ran.Swap(true) {
		return fmt.Errorf("the source %s has been run before, maybe by another controller; make one for each", w)
	}
	w.inlet = inlet
	options := cache.HandlerOptions{OnPanic: cache.PanicRetry}
	if w.own {
		options.OnPanic = cache.PanicSkip // see event
	}
	registration, err := w.register(options)
	if err != nil {
		return fmt.Errorf("the source %s: %w", w, err)
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
		return fmt.Errorf("the source %s hears nothing more: its informer has stopped, or a predicate or mapping function called runtime.Goexit", w)
	}
	return cache.ShutDownEventHandler(w.informer, registration)
}

// register has the informer tell the source of changes. Where nobody looks at the objects, they need not be decoded.
func (w *watch[T, K]) register(options cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	if w.own && len(w.passes) == 0 {
		return w.informer.AddEventHandlerWithOptions(lazyWatch[T, K]{w.onLazyEvent, w}, options)
	}
	return w.informer.AddTypedEventHandler(w, options)
}

// lazyWatch is a handler that is called what the source is called.
type lazyWatch[T cache.Object, K comparable] struct {
	cache.LazyEventHandlerFunc
	source *watch[T, K]
}

// HandlerName is what states call the handler.
func (l lazyWatch[T, K]) HandlerName() string { return "controller, " + l.source.String() }

// onLazyEvent is all that OnAdd, OnUpdate and OnDelete are, without the objects.
func (w *watch[T, K]) onLazyEvent(e cache.LazyEvent) {
	what := Added
	switch {
	case e.Initial:
		what = Initial
	case e.Resync():
		what = Resynced
	case e.Type == apiwatch.Modified:
		what = Updated
	case e.Type == apiwatch.Deleted:
		what = Deleted
	}
	w.event(Event[T]{What: what, Name: e.Name()})
}

// OnAdd implements cache.TypedResourceEventHandler.
func (w *watch[T, K]) OnAdd(obj T, isInInitialList bool) {
	what := Added
	if isInInitialList {
		what = Initial
	}
	w.event(Event[T]{What: what, Object: obj, Name: nameOf(obj)})
}

// OnUpdate implements cache.TypedResourceEventHandler.
func (w *watch[T, K]) OnUpdate(oldObj, newObj T) {
	e := Event[T]{What: Updated, Object: newObj, Old: oldObj, Name: nameOf(newObj)}
	if oldObj == newObj {
		var none T
		e.What, e.Old = Resynced, none
	}
	w.event(e)
}

// OnDelete implements cache.TypedResourceEventHandler.
func (w *watch[T, K]) OnDelete(obj cache.DeletedObject[T]) {
	w.event(Event[T]{What: Deleted, Object: obj.OptionalObj, Name: obj.GetObjectName()})
}

func nameOf[T cache.Object](obj T) cache.ObjectName {
	return cache.ObjectName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

func (w *watch[T, K]) event(e Event[T]) {
	// A predicate that panics loses nothing, as long as it is known which key it was asked about. What is made of the panic is the
	// informer's business, which counts it and tells of it.
	decided := !w.own
	defer func() {
		if !decided {
			w.inlet.Add(w.keysOf(e)[0], e.What)
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
		w.inlet.Add(key, e.What)
	}
}

func (w *watch[T, K]) leaveOut(e Event[T]) {
	if !w.cheap {
		return
	}
	for _, key := range w.keysOf(e) {
		w.inlet.Filtered(key, e.What)
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

// objects is how many the informer has, for the size of the records.
func (w *watch[T, K]) objects() int {
	if w.informer == nil {
		return 0
	}
	return cache.StateOf(w.informer).Objects
}
